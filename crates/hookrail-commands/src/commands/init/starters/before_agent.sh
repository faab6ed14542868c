printf '{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"Today is %s."}}\n' \
  "$(date +%Y-%m-%d)"
