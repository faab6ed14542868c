# What `field` finds can go into JSON as it is.
file=$(field file_path)
printf '{"hookSpecificOutput":{"hookEventName":"AfterTool","additionalContext":"%s"}}\n' \
  "You changed ${file:-a file}: run the tests before you finish."
