#!/usr/bin/env python3
"""Prompts with passwords are not sent."""
import json
import re
import sys

data = json.load(sys.stdin)
if re.search(r"(?i)\b(password|secret|token)\s*[:=]", data.get("prompt", "")):
    print(json.dumps({"decision": "block", "reason": "PROMPT REFUSED: it seems to hold a secret"}))
    sys.exit(0)
