import sys
import __main__
print(__name__, __file__, __package__, __spec__, __doc__, __cached__, __annotations__)
print(type(__loader__), __loader__.path, __loader__.name)
print(__builtins__, __main__.__dict__ is globals(), sys.modules["__main__"] is __main__)
print([name for name in globals()])
if __name__ == "__main__":
    print("main")
