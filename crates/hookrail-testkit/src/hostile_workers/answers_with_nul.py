#!/usr/bin/env python3
"""NUL bytes around a valid answer."""
import json, os, sys
for line in sys.stdin:
    answer = json.dumps({"id": json.loads(line)["id"], "output": {"decision": "allow"}})
    os.write(1, b"\0\0" + answer.encode() + b"\0\n")
