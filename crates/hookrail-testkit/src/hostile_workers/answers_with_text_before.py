#!/usr/bin/env python3
"""A forgotten print before a valid answer. A single run would take all of it for plain text."""
import json, sys
for line in sys.stdin:
    print("checking the call")
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
