#!/usr/bin/env python3
"""Tokens in the output of commands do not reach the model."""
import json
import re
import sys

data = json.load(sys.stdin)
response = data["tool_response"]
masked = re.sub(r"sk-[a-z0-9]{8,}", "sk-MASKED", response["stdout"])
if masked != response["stdout"]:
    response["stdout"] = masked
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": response}}))
