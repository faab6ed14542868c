#!/usr/bin/env python3
"""Commands that failed, one line each."""
import json
import os
import sys

data = json.load(sys.stdin)
with open(os.path.join(os.environ["CLAUDE_PROJECT_DIR"], "failures.log"), "a") as log:
    log.write(f"{data['hook_event_name']} {data['tool_name']}: {data['error'].splitlines()[0]}\n")
