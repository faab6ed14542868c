import sys
del sys.excepthook
raise RuntimeError("one")
