#!/bin/bash
# Refuses deletions by an answer in JSON.
command=$(jq -r '.tool_input.command // empty')
if echo "$command" | grep -qE '(^|[;&|[:space:]])rm[[:space:]]'; then
  jq -n '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "deny",
    permissionDecisionReason: "Move files to ./trash instead of deleting them"}}'
fi
