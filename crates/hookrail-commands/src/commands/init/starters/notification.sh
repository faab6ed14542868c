message=$(field message)
if command -v notify-send > /dev/null; then
  # Without a desktop there is nothing to show it on; that is not a failure.
  notify-send "The agent waits" "${message:-It has a question.}" > /dev/null 2>&1 || true
fi
