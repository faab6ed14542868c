#!/bin/sh
# JSON on stdout can change the arguments before the tool sees them.
case "$(cat)" in
  *'"command":"rm -r build"'*)
    echo '{"hookSpecificOutput":{"tool_input":{"command":"mv build build.old"}}}' ;;
esac
