#!/usr/bin/env python3
"""Writes 256 MiB to stderr before it answers."""
import json, os, sys
for line in sys.stdin:
    block = b"x" * (1 << 16)
    for _ in range(4096):
        os.write(2, block)
    print(json.dumps({"id": json.loads(line)["id"], "output": {"decision": "block", "reason": "no"}}), flush=True)
