import atexit
import sys
atexit.register(lambda: print("at exit", sys.excepthook is sys.__excepthook__, sys.last_type))


def wait():
    raise KeyboardInterrupt("enough")


wait()
