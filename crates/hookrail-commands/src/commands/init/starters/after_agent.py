import json
import sys

payload = json.load(sys.stdin)
if not payload.get("stop_hook_active") and "TODO" in payload["prompt_response"]:
    print(json.dumps({
        "decision": "block",
        "reason": "Your answer leaves a TODO: finish it, or say why not.",
    }))
