#!/usr/bin/env python3
"""A hook with a mistake: it must not be in the way."""
import json
import sys

data = json.load(sys.stdin)
print(data["no_such_field"])
