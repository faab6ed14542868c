#!/usr/bin/env python3
"""Files that are not for agents."""
import json
import sys
from pathlib import Path

PROTECTED = {".env", "package-lock.json", "Cargo.lock"}
path = json.load(sys.stdin).get("tool_input", {}).get("file_path", "")
assert not path or Path(path).is_absolute(), path
if Path(path).name in PROTECTED or ".git" in Path(path).parts:
    print(f"{Path(path).name} is protected", file=sys.stderr)
    sys.exit(2)
