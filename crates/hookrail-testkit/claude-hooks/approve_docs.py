#!/usr/bin/env python3
"""Documentation may be read without a question."""
import json
import sys

data = json.load(sys.stdin)
if data["tool_name"] == "Read" and data["tool_input"]["file_path"].endswith((".md", ".txt")):
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "permissionDecisionReason": "Documentation file auto-approved",
        },
        "suppressOutput": True,
    }))
sys.exit(0)
