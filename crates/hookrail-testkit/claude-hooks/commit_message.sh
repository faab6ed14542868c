#!/bin/bash
# Conventional commits.
input=$(cat)
command=$(jq -r '.tool_input.command' <<<"$input")
[[ "$command" =~ git[[:space:]]+commit ]] || exit 0
if [[ "$command" =~ -m[[:space:]]+[\"\']([^\"\']+)[\"\'] ]]; then
  message="${BASH_REMATCH[1]}"
  if ! [[ "$message" =~ ^(feat|fix|docs|test|chore|refactor)(\(.+\))?:\  ]]; then
    echo "Commit message '$message' is not a conventional commit" >&2
    exit 2
  fi
fi
