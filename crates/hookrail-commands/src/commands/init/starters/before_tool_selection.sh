if [ "${HOOK_READ_ONLY:-0}" = 1 ]; then
  printf '%s\n' '{"hookSpecificOutput":{"hookEventName":"BeforeToolSelection","toolConfig":{"mode":"AUTO","allowedFunctionNames":["read_file","list_directory","glob","search_file_content"]}}}'
fi
