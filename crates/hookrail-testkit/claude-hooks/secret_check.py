#!/usr/bin/env python3
"""Looks for credentials in what is about to be written."""
import json
import re
import sys

PATTERNS = {
    "AWS access key": r"AKIA[0-9A-Z]{16}",
    "private key": r"-----BEGIN (RSA|EC|OPENSSH) PRIVATE KEY-----",
    "GitHub token": r"ghp_[A-Za-z0-9]{36}",
}
data = json.load(sys.stdin)
tool_input = data["tool_input"]
text = tool_input.get("content") or tool_input.get("new_string") or ""
for name, pattern in PATTERNS.items():
    if re.search(pattern, text):
        reason = f"{name} found in {tool_input.get('file_path')}: use an environment variable"
        print(json.dumps({"hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}))
        break
