import sys
sys.excepthook = lambda *failure: sys.exit(33)
raise RuntimeError("one")
