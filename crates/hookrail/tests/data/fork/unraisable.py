import sys


class Bad:
    def __del__(self):
        raise RuntimeError("in __del__")


bad = Bad.__new__(Bad)
sys.unraisablehook = lambda failure: print("unraisable:", failure.exc_type, failure.err_msg)
del bad
