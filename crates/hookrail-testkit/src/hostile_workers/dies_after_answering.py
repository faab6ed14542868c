#!/usr/bin/env python3
"""Answers and dies. The answer counts; the next event needs another worker."""
import json, os, sys
request = json.loads(sys.stdin.readline())
print(json.dumps({"id": request["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
os._exit(1)
