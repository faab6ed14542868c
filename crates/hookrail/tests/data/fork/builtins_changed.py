import builtins
import sys
for name in ("type", "isinstance", "getattr", "hasattr", "len", "BaseException", "KeyboardInterrupt", "SystemExit"):
    delattr(builtins, name)
sys.argv = sys.path = sys.modules = None
print("nothing left")
raise ValueError("still reported")
