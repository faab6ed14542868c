#: stdin \xff
import sys
print(ascii(sys.stdin.read()))
