import json
import re
import sys

payload = json.load(sys.stdin)
if re.search(r"-----BEGIN [A-Z ]*PRIVATE KEY-----", json.dumps(payload["llm_request"])):
    print("The conversation contains a private key: it was not sent.", file=sys.stderr)
    sys.exit(2)
