case $input in
  *'"stop_hook_active":true'*) exit 0 ;;
esac
if printf '%s' "$input" | grep -Eq '"prompt_response":"([^"\\]|\\.)*TODO'; then
  printf '%s\n' '{"decision":"block","reason":"Your answer leaves a TODO: finish it, or say why not."}'
fi
