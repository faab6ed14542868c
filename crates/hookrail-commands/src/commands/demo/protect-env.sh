#!/bin/sh
# Exit code 2 blocks the call. The reason on stderr is what the model gets instead of a result.
case "$(cat)" in
  *'"file_path":".env"'*)
    echo "keys belong in the keychain, not in .env" >&2
    exit 2 ;;
esac
