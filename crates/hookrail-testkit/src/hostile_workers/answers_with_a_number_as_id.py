#!/usr/bin/env python3
"""The id is a text; a number is another id."""
import json, sys
for line in sys.stdin:
    print(json.dumps({"id": int(json.loads(line)["id"], 36), "output": {"decision": "allow"}}), flush=True)
