#!/bin/sh
# After the model: the answer is not shown before this hook has run.
answer=$(sed 's/.*"llm_response":\({.*}\)}$/\1/; s/sk-[A-Za-z0-9-]*/[redacted]/g')
printf '{"hookSpecificOutput":{"llm_response":%s}}\n' "$answer"
