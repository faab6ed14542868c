#!/bin/sh
# After the model: nobody sees an answer before this hook has seen it.
answer=$(sed 's/.*"llm_response":\({.*}\)}$/\1/; s/sk-[A-Za-z0-9-]*/[redacted]/g')
printf '{"hookSpecificOutput":{"llm_response":%s}}\n' "$answer"
