transcript=$(field transcript_path)
if [ -f "$transcript" ]; then
  cp "$transcript" "$transcript.$(date -u +%Y%m%dT%H%M%SZ).bak"
fi
