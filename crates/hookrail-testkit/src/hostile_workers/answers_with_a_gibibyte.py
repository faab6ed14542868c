#!/usr/bin/env python3
"""One line of 1 GiB."""
import json, os, sys
request = json.loads(sys.stdin.readline())
os.write(1, ('{"id": "%s", "output": {"reason": "' % request["id"]).encode())
block = b"x" * (1 << 20)
for _ in range(1024):
    rest = memoryview(block)
    while rest:
        rest = rest[os.write(1, rest) :]
os.write(1, b'"}}\n')
sys.stdin.read()
