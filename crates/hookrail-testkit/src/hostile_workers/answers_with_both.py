#!/usr/bin/env python3
"""An output and an exit code: which one counts?"""
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "allow"}, "exitCode": 2}), flush=True)
