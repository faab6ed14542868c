#!/usr/bin/env python3
"""Answers in the older form of decisions."""
import json
import sys

command = json.load(sys.stdin)["tool_input"].get("command", "")
if "git push" in command and ("--force" in command or " -f" in command):
    print(json.dumps({"decision": "block", "reason": "Force pushes rewrite history: ask a maintainer"}))
