#!/usr/bin/env python3
"""A person decides about releases."""
import json
import sys

data = json.load(sys.stdin)
if "publish" in data["tool_input"].get("command", ""):
    json.dump({"hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "ask",
        "permissionDecisionReason": "Publishing needs a person",
    }}, sys.stdout)
