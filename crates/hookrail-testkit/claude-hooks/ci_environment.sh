#!/bin/bash
# Every command runs as in CI.
jq '{hookSpecificOutput: {hookEventName: "PreToolUse", permissionDecision: "allow",
  updatedInput: (.tool_input + {command: ("export CI=true; " + .tool_input.command)})}}'
