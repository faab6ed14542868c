#!/usr/bin/env python3
"""Answers each question twice, the second time otherwise. The second answer belongs to nobody."""
import json, os, sys
for line in sys.stdin:
    answers = [{"decision": "block", "reason": "no"}, {"decision": "allow"}]
    lines = [json.dumps({"id": json.loads(line)["id"], "output": answer}) + "\n" for answer in answers]
    os.write(1, "".join(lines).encode())
