#!/bin/bash
# A linter whose findings go to the model.
file=$(jq -r .tool_input.file_path)
[[ "$file" == *.py ]] || exit 0
if ! error=$(python3 -c 'import ast,sys; ast.parse(open(sys.argv[1]).read())' "$file" 2>&1); then
  echo "SYNTAX CHECK FAILED for $(basename "$file"): ${error##*$'\n'}" >&2
  exit 2
fi
