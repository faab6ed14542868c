#!/usr/bin/env python3
"""A reason with bytes that are no text. A single run would block, with U+FFFD in the reason."""
import json, os, sys
for line in sys.stdin:
    id = json.dumps(json.loads(line)["id"]).encode()
    os.write(1, b'{"id": ' + id + b', "output": {"decision": "block", "reason": "no\xff\xfe"}}\n')
