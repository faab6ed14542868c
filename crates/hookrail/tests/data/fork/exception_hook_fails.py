import sys


def hook(kind, value, trace):
    raise ValueError("the hook is broken")


sys.excepthook = hook
raise RuntimeError("one")
