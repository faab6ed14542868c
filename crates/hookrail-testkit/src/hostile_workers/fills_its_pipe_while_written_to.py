#!/usr/bin/env python3
"""Writes without end and reads only what it needs to, so that both sides write into full pipes."""
import os
os.read(0, 1)
while True:
    os.write(1, b"x" * (1 << 16))
