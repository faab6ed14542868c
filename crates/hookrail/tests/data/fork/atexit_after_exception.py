import atexit
import sys
atexit.register(lambda: print("at exit", sys.last_type, sys.exc_info()))
raise LookupError("gone")
