import json
import subprocess
import sys

payload = json.load(sys.stdin)
try:
    git = subprocess.run(["git", "branch", "--show-current"], capture_output=True, text=True)
    branch = git.stdout.strip()
except OSError:
    branch = ""  # There is no git.
if branch:
    print(json.dumps({
        "hookSpecificOutput": {
            "hookEventName": "SessionStart",
            "additionalContext": f"The git branch is {branch}.",
        }
    }))
