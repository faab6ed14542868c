#: options -u
import os
import sys
print("one", end="")
print(sys.stdout, sys.stdout.write_through, sys.stdout.buffer)
os._exit(0)
