# An MCP server with one tool, `leave_mark`, which makes the file that the first line of a file beside this script names.
# One message is one line; only the id of a request is taken from it.
mark=$(cat "$0.mark")
while read -r line; do
  case $line in
    *'"id":'*) rest=${line#*'"id":'} ;;
    *) continue ;;
  esac
  id=${rest%%[,\}]*}
  case $line in
    *'"initialize"'*)
      version=${line#*'"protocolVersion":"'}
      version=${version%%\"*}
      printf '{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"%s","capabilities":{"tools":{}},"serverInfo":{"name":"probe","version":"1"}}}\n' "$id" "$version" ;;
    *'"tools/list"'*)
      printf '{"jsonrpc":"2.0","id":%s,"result":{"tools":[{"name":"leave_mark","description":"Leaves a mark.","inputSchema":{"type":"object","properties":{}}}]}}\n' "$id" ;;
    *'"tools/call"'*)
      : > "$mark"
      printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"marked"}]}}\n' "$id" ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"result":{}}\n' "$id" ;;
  esac
done
