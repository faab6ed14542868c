#: stdin {"tool_name": "write_file", "x": "ä"}\r\nsecond\r\n\nlast
import sys
print(repr(sys.stdin.readline()), [line for line in sys.stdin])
print(repr(sys.stdin.read()))
