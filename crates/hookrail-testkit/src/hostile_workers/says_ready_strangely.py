#!/usr/bin/env python3
"""Announces a concurrency that is none, and works as one that announced nothing."""
import json, sys
print(json.dumps({"ready": True, "concurrent": -1e300}), flush=True)
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
