#: options -I
import sys
print(sys.path, sys.flags)
try:
    import sibling
except ImportError as error:
    print(error)
