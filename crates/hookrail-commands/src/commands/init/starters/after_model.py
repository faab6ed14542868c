import json
import sys

payload = json.load(sys.stdin)
tokens = (payload["llm_response"].get("usageMetadata") or {}).get("totalTokenCount") or 0
if tokens > 100_000:
    print(json.dumps({"systemMessage": f"This conversation takes {tokens} tokens a call: be brief."}))
