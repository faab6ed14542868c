#!/usr/bin/env python3
"""Answers, and floods stderr between events."""
import json, os, sys, threading


def flood():
    while True:
        os.write(2, b"x" * (1 << 16))


threading.Thread(target=flood, daemon=True).start()
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
