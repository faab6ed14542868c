tokens=$(printf '%s' "$input" | sed -n 's/.*"totalTokenCount":\([0-9][0-9]*\).*/\1/p')
if [ "${tokens:-0}" -gt 100000 ]; then
  printf '{"systemMessage":"This conversation takes %s tokens a call: be brief."}\n' "$tokens"
fi
