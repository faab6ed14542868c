"""A small MCP server. It keeps every byte that it was sent in the file that its first argument names."""
import json
import os
import signal
import sys
import threading

received = open(sys.argv[1], "ab", buffering=0)
if "deaf" in sys.argv:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("ready", file=sys.stderr, flush=True)
lock = threading.Lock()


def send(message):
    text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
    with lock:
        sys.stdout.buffer.write(text.encode() + b"\n")
        sys.stdout.buffer.flush()


def text(*texts, **more):
    return {"content": [{"type": "text", "text": each} for each in texts], **more}


def call(message, name, arguments):
    number = message.get("id")
    if name == "big":
        result = text("x" * arguments["bytes"])
    elif name == "progress":
        for step in range(3):
            send({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": "p", "progress": step}})
        result = text("done")
    elif name == "crash":
        print("the server crashes", file=sys.stderr, flush=True)
        os._exit(7)
    elif name == "never":
        return
    elif name == "fails":
        return send({"jsonrpc": "2.0", "id": number, "error": {"code": -32602, "message": "bad arguments"}})
    elif name == "secret":
        result = text("KEY=abc", structuredContent={"key": "abc"}, _meta={"n": 12345678901234567890})
    elif name == "twice":
        return send('{"jsonrpc":"2.0","id":%d,"result":{"content":[]},"result":{"content":[1]}}' % number)
    else:
        result = text(name + " " + json.dumps(arguments, ensure_ascii=False))
    send({"jsonrpc": "2.0", "id": number, "result": result})


for line in sys.stdin.buffer:
    received.write(line)
    try:
        messages = json.loads(line)
    except ValueError:
        continue
    for message in messages if isinstance(messages, list) else [messages]:
        if not isinstance(message, dict):
            continue
        method, params = message.get("method"), message.get("params") or {}
        if method == "tools/call":
            call(message, params.get("name"), params.get("arguments") or {})
        elif method == "raw":
            send(params["text"])
        elif method and "id" in message:
            send({"jsonrpc": "2.0", "id": message["id"], "result": {"method": method}})
if "deaf" in sys.argv:
    threading.Event().wait()
