#!/bin/sh
# Speaks as a hook that is run once per event.
while read -r _; do
    echo '{"decision": "block", "reason": "no"}'
done
