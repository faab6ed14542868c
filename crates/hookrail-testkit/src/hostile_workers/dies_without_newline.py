#!/usr/bin/env python3
"""Dies after a whole answer that is no line: its last byte may be missing as well as the line feed."""
import json, os, sys
request = json.loads(sys.stdin.readline())
os.write(1, json.dumps({"id": request["id"], "output": {"decision": "block", "reason": "no"}}).encode())
os._exit(0)
