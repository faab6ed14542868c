#!/bin/bash
# Cleans up and keeps a line of the session.
reason=$(jq -r .reason)
rm -f "$CLAUDE_PROJECT_DIR/scratch.tmp"
echo "ended: $reason" >> "$CLAUDE_PROJECT_DIR/sessions.log"
