#!/usr/bin/env python3
"""Context in JSON, only for some prompts."""
import json
import sys

data = json.load(sys.stdin)
if "task" in data["prompt"]:
    print(json.dumps({"hookSpecificOutput": {
        "hookEventName": "UserPromptSubmit",
        "additionalContext": "HOUSE-RULES: small commits, tests first",
    }}))
