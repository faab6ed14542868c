#!/usr/bin/env python3
"""Dies in the middle of its answer."""
import json, os, sys
request = json.loads(sys.stdin.readline())
answer = json.dumps({"id": request["id"], "output": {"decision": "block", "reason": "no"}})
os.write(1, answer[: len(answer) // 2].encode())
os._exit(0)
