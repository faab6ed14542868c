#!/usr/bin/env python3
"""Leaves a child in its group for every event, and answers."""
import json, os, sys, time
for line in sys.stdin:
    if os.fork() == 0:
        time.sleep(3600)
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
