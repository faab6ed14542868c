import datetime
import json
import sys

payload = json.load(sys.stdin)
print(json.dumps({
    "hookSpecificOutput": {
        "hookEventName": "BeforeAgent",
        "additionalContext": f"Today is {datetime.date.today().isoformat()}.",
    }
}))
