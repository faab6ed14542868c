#!/bin/sh
# Context after a file was written.
cat >/dev/null
cat <<'JSON'
{"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "TESTS-HERE: tests are in tests/, run them with make check"}}
JSON
