#: args one "two words" --three ä
import sys
print(sys.argv, sys.argv[0] == __file__)
print(getattr(sys, "orig_argv", None))
