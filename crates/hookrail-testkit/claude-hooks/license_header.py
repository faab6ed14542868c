#!/usr/bin/env python3
"""Adds a header to new files."""
import json
import sys

data = json.load(sys.stdin)
tool_input = data["tool_input"]
if not tool_input["content"].startswith("# License"):
    tool_input["content"] = "# License: MIT\n" + tool_input["content"]
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "updatedInput": tool_input}}))
