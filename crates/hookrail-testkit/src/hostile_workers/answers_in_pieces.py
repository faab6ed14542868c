#!/usr/bin/env python3
"""Writes its answer byte by byte."""
import json, os, sys, time
for line in sys.stdin:
    answer = json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}) + "\n"
    for byte in answer.encode():
        os.write(1, bytes([byte]))
        time.sleep(0.001)
