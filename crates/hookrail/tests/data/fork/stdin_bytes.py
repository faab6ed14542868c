#: stdin \xff\x00bytes\r\n
import sys
print(sys.stdin.buffer.read())
