#!/usr/bin/env python3
"""Writes an answer that goes on and on: every byte is progress, none is an end."""
import json, os, sys, time
request = json.loads(sys.stdin.readline())
os.write(1, ('{"id": "%s", "output": {"reason": "' % request["id"]).encode())
while True:
    os.write(1, b"x")
    time.sleep(0.01)
