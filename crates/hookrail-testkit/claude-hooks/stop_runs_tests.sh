#!/bin/bash
# The work is not done while tests fail; once is enough.
input=$(cat)
[ "$(jq -r .stop_hook_active <<<"$input")" = "true" ] && exit 0
if ! output=$(cd "$CLAUDE_PROJECT_DIR" && sh ./run_tests.sh 2>&1); then
  echo "TESTS FAIL: $output" >&2
  exit 2
fi
