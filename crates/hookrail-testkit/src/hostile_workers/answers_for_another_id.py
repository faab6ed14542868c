#!/usr/bin/env python3
"""Answers a question that nobody asked."""
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"] + "0", "output": {"decision": "allow"}}), flush=True)
