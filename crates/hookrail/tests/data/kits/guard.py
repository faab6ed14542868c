import os
import subprocess
import sys

from hookrail_hook import Block, hook

ASKED = 0


def fail(event):
    return event["nothing"]["here"]


@hook
def guard(event):
    global ASKED
    ASKED += 1
    what = event["tool_input"]["do"]
    if what == "block":
        raise Block("not this: \u00e4 \u2028 one line")
    if what == "block without a reason":
        raise Block("  ")
    if what == "change":
        return {"hookSpecificOutput": {"tool_input": {"text": event["tool_input"]["text"]}}}
    if what == "empty":
        return {}
    if what == "print":
        print("a stray word")
        sys.stdout.flush()
        subprocess.run(["echo", "a stray child"], check=True)
        os.write(1, b"a stray write\n")
        return {"decision": "allow", "reason": "printed"}
    if what == "read":
        return {"reason": sys.stdin.read() + str(os.read(0, 10))}
    if what == "fail":
        fail(event)
    if what == "return a number":
        return 5
    if what == "return what is no JSON":
        return {"value": {1, 2}}
    if what == "return no number":
        return {"value": float("nan")}
    if what == "exit":
        sys.exit(event["tool_input"]["code"])
    if what == "count":
        return {"count": ASKED}
    return None
