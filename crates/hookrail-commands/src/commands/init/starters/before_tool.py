import json
import os.path
import sys

payload = json.load(sys.stdin)
name = os.path.basename(str(payload["tool_input"].get("file_path", "")))
if name == ".env" or name.startswith(".env."):
    print("Files named .env hold secrets: ask the user to change them.", file=sys.stderr)
    sys.exit(2)
