import json
import os
import sys

payload = json.load(sys.stdin)
if os.environ.get("HOOK_READ_ONLY") == "1":
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "BeforeToolSelection",
            "toolConfig": {
                "mode": "AUTO",
                "allowedFunctionNames": ["read_file", "list_directory", "glob", "search_file_content"],
            },
        }
    }))
