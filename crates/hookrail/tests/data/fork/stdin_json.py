#: stdin {"tool_input": {"command": "rm -rf /"}}
import json
import sys
event = json.load(sys.stdin)
if "rm -rf" in event["tool_input"]["command"]:
    print(json.dumps({"decision": "block", "reason": "dangerous"}))
    sys.exit(0)
