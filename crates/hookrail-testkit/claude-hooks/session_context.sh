#!/bin/bash
# What is open when a session starts.
echo "OPEN-ISSUES at start:"
cat "$CLAUDE_PROJECT_DIR/TODO.md" 2>/dev/null
