#!/usr/bin/env python3
"""Asks for a changelog entry before the end, once."""
import json
import os
import sys

data = json.load(sys.stdin)
changelog = os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "CHANGELOG.md")
if not data.get("stop_hook_active") and not os.path.exists(changelog):
    print(json.dumps({"decision": "block", "reason": "CHANGELOG-MISSING: add an entry to CHANGELOG.md"}))
