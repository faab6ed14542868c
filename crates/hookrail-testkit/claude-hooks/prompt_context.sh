#!/bin/bash
# Plain text for the model with every prompt.
echo "PROJECT-CONTEXT branch: $(git -C "$CLAUDE_PROJECT_DIR" branch --show-current)"
