import sys
import traceback


def hook(kind, value, trace):
    print("hook:", kind.__name__, value, [frame.name for frame in traceback.extract_tb(trace)])
    print(sys.last_type, sys.last_value is value, sys.last_traceback is trace, sys.exc_info())


sys.excepthook = hook


def fail():
    raise RuntimeError("one")


fail()
