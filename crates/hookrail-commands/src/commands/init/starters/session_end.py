import json
import os.path
import sys

payload = json.load(sys.stdin)
log = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sessions.log")
with open(log, "a", encoding="utf-8") as file:
    file.write(f"{payload['timestamp']} {payload['reason']}\n")
