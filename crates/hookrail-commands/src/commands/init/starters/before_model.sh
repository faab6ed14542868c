if printf '%s' "$input" | grep -q -e '-----BEGIN [A-Z ]*PRIVATE KEY-----'; then
  echo "The conversation contains a private key: it was not sent." >&2
  exit 2
fi
