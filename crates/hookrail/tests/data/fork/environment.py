import os
import sys
for name in sorted(os.environ):
    print(name, repr(os.environ[name]))
print(os.environb[b"RAW"])
print(sys.flags, sys.executable, sys.prefix, sys.warnoptions, sys._xoptions)
