#!/usr/bin/env python3
"""Announces a concurrency beyond all measure, and works."""
import json, sys
print(json.dumps({"ready": True, "concurrent": 10**15}), flush=True)
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
