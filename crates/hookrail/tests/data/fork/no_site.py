#: options -S -B
import sys
import os
print(sys.path, sys.flags, "site" in sys.modules)
exit(1)
