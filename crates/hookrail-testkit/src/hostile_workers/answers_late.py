#!/usr/bin/env python3
"""Answers long after every deadline, and then the next question at once."""
import json, sys, time
for number, line in enumerate(sys.stdin):
    if number == 0:
        time.sleep(3600)
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "allow"}}), flush=True)
