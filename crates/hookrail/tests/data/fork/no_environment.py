#: options -E -s
import sys
print(sys.path, sys.flags)
