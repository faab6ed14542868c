#!/usr/bin/env python3
"""Leaves a child that holds all of its streams, and dies before it answers."""
import os, sys, time
sys.stdin.readline()
if os.fork() == 0:
    time.sleep(3600)
os._exit(0)
