#!/usr/bin/env python3
"""Goes to a session of its own and never answers: no signal to its old group reaches it."""
import os, sys, time
sys.stdin.readline()
if os.fork():
    os._exit(0)
os.setsid()
time.sleep(3600)
