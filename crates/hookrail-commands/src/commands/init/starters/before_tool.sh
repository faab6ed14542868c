# The payload is one line of JSON. A look at its text is good enough for a start.
if printf '%s' "$input" | grep -Eq '"file_path":"([^"]*/)?\.env(\.[^"/]*)?"'; then
  echo "Files named .env hold secrets: ask the user to change them." >&2
  exit 2
fi
