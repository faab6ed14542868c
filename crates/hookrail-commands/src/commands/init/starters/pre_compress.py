import datetime
import json
import os.path
import shutil
import sys

payload = json.load(sys.stdin)
transcript = payload.get("transcript_path") or ""
if os.path.isfile(transcript):
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT%H%M%SZ")
    shutil.copyfile(transcript, f"{transcript}.{now}.bak")
