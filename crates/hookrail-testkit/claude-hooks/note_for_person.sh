#!/bin/sh
# A line for the person, nothing for the model.
cat >/dev/null
echo '{"systemMessage": "PERSON-ONLY: a command is about to run", "suppressOutput": true}'
