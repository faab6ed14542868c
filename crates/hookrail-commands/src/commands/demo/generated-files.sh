#!/bin/sh
# After a tool: add what the model cannot read in the file.
case "$(cat)" in
  *'"file_path":"config.toml"'*)
    note="config.toml is generated: change config.toml.in instead"
    echo "{\"hookSpecificOutput\":{\"additionalContext\":\"$note\"}}" ;;
esac
