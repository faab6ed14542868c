"""Asks `hookrail serve` whether a tool may run: python3 serve_client.py write_file

Exit codes: 0 allowed, 2 blocked, 3 a hook asks the agent to stop, 4 a person is to decide, 1 no verdict.
"""
import json
import subprocess
import sys


class NoVerdict(Exception):
    """hookrail cannot decide: its settings are broken, or it has ended. Do not run the tool."""


class Hooks:
    def __init__(self):
        self.server = subprocess.Popen(["hookrail", "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.asked = 0

    def fire(self, event, data):
        self.asked += 1
        request = {"type": "hook-execution-request", "eventName": event, "correlationId": str(self.asked), "input": data}
        try:
            self.server.stdin.write(json.dumps(request).encode() + b"\n")
            self.server.stdin.flush()
        except BrokenPipeError:
            pass  # The server has ended; reading shows that, too.
        # One question at a time. To ask several at once, sort the answers by their `correlationId`.
        line = self.server.stdout.readline()
        if not line:
            raise NoVerdict("hookrail has ended; what it wrote to stderr says why")
        response = json.loads(line)
        if "error" in response:
            raise NoVerdict(response["error"]["message"])
        return response["output"]

    def close(self):
        try:
            self.server.stdin.close()  # The server finishes what is running and ends.
        except BrokenPipeError:
            pass
        self.server.wait()


def decide(verdict):
    """What an agent has to do, and the exit code for it. A block counts more than a stop, a stop more than a question."""
    if verdict["blocked"]:
        return f"blocked: {verdict['reason']}", 2
    if verdict["shouldStop"]:
        return f"the agent is to stop: {verdict['stopReason']}", 3
    if verdict["ask"]:
        return f"a person is to decide: {verdict['reason']}", 4
    return "allowed", 0


hooks = Hooks()
tool = sys.argv[1]
try:
    said, code = decide(hooks.fire("BeforeTool", {"tool_name": tool, "tool_input": {"file_path": "a.txt", "content": "x"}}))
except NoVerdict as error:
    said, code = f"no verdict: {error}", 1
finally:
    hooks.close()
print(f"{tool}: {said}")
sys.exit(code)
