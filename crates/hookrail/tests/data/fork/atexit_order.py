import atexit
import sys
atexit.register(print, "registered first")
atexit.register(print, "registered last", file=sys.stderr)


@atexit.register
def fail():
    raise ValueError("at exit")


print("body")
sys.exit(3)
