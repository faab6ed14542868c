#!/usr/bin/env python3
"""Refuses recursive deletions."""
import json
import re
import sys

data = json.load(sys.stdin)
if data.get("tool_name") != "Bash":
    sys.exit(0)
command = data.get("tool_input", {}).get("command", "")
if re.search(r"\brm\s+(-[a-zA-Z]*[rR][a-zA-Z]*\s+|--recursive\s+)", command):
    print("BLOCKED: recursive rm is not allowed here", file=sys.stderr)
    sys.exit(2)
sys.exit(0)
