#!/usr/bin/env python3
"""An output with a million levels."""
import json, sys
for line in sys.stdin:
    deep = "[" * 1000000 + "]" * 1000000
    print('{"id": %s, "output": {"x": %s}}' % (json.dumps(json.loads(line)["id"]), deep), flush=True)
