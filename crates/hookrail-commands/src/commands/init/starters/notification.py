import json
import shutil
import subprocess
import sys

payload = json.load(sys.stdin)
if shutil.which("notify-send"):
    # Without a desktop there is nothing to show it on; that is not a failure.
    subprocess.run(
        ["notify-send", "The agent waits", payload["message"]],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
