#!/usr/bin/env bash
# No edits while main is checked out.
branch=$(git -C "$CLAUDE_PROJECT_DIR" branch --show-current)
if [ "$branch" = "main" ] || [ "$branch" = "master" ]; then
  echo "You are on $branch: create a feature branch first" >&2
  exit 2
fi
