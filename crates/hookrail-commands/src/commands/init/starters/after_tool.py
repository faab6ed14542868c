import json
import sys

payload = json.load(sys.stdin)
file = payload["tool_input"].get("file_path", "a file")
print(json.dumps({
    "hookSpecificOutput": {
        "hookEventName": "AfterTool",
        "additionalContext": f"You changed {file}: run the tests before you finish.",
    }
}))
