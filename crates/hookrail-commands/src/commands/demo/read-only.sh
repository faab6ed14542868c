#!/bin/sh
# Before the model chooses: which tools may it use for this prompt?
case "$(cat)" in
  *'change nothing'*)
    names='["read_file","list_directory","search_file_content"]'
    echo "{\"hookSpecificOutput\":{\"toolConfig\":{\"mode\":\"AUTO\",\"allowedFunctionNames\":$names}}}" ;;
esac
