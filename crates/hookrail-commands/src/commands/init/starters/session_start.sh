branch=$(git branch --show-current 2>/dev/null)
case $branch in
  '' | *[\"\\]*) exit 0 ;; # No repository, or nothing that could go into JSON as it is.
esac
printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"%s"}}\n' \
  "The git branch is $branch."
