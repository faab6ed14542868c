#!/usr/bin/env python3
"""Answers once, closes its stdin and lives on. The next event needs another worker."""
import json, os, sys, time
request = json.loads(sys.stdin.readline())
print(json.dumps({"id": request["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
os.close(0)
time.sleep(3600)
