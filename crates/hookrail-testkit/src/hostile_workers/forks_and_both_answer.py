#!/usr/bin/env python3
"""Two processes answer one question, at the same time. One of them answers nobody."""
import json, os, sys
for line in sys.stdin:
    child = os.fork()
    answer = {"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}
    os.write(1, (json.dumps(answer) + "\n").encode())
    if child == 0:
        os._exit(0)
    os.wait()
