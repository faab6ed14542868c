"""Asks `hookrail serve` whether a tool may run: python3 serve_client.py write_file"""
import json
import subprocess
import sys


class Hooks:
    def __init__(self):
        self.server = subprocess.Popen(["hookrail", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0

    def fire(self, event, data):
        self.asked += 1
        request = {"type": "hook-execution-request", "eventName": event, "correlationId": str(self.asked), "input": data}
        self.server.stdin.write(json.dumps(request).encode() + b"\n")
        self.server.stdin.flush()
        # One question at a time. To ask several at once, sort the answers by their `correlationId`.
        response = json.loads(self.server.stdout.readline())
        if "error" in response:
            raise RuntimeError(response["error"]["message"])
        return response["output"]

    def close(self):
        self.server.stdin.close()  # The server finishes what is running and ends.
        self.server.wait()


hooks = Hooks()
tool = sys.argv[1]
verdict = hooks.fire("BeforeTool", {"tool_name": tool, "tool_input": {"file_path": "a.txt", "content": "x"}})
hooks.close()
print(f"{tool}: blocked: {verdict['reason']}" if verdict["blocked"] else f"{tool}: allowed")
sys.exit(2 if verdict["blocked"] else 0)
