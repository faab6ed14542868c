#!/usr/bin/env python3
"""Exit codes that no process has."""
import json, sys
for number, line in enumerate(sys.stdin):
    code = [2.5, "2", -1, 256, 2**70, None, True][number % 7]
    print(json.dumps({"id": json.loads(line)["id"], "exitCode": code, "stdout": "", "stderr": "no"}), flush=True)
