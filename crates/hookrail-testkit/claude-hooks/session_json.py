#!/usr/bin/env python3
import json
import sys

data = json.load(sys.stdin)
context = f"SESSION-KIND {data['source']} of {data['hook_event_name']}"
print(json.dumps({"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": context}}))
