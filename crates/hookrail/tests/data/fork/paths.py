import os
import sys
print(sys.path)
print(os.getcwd(), os.environ.get("PWD"))
print(sys.path_hooks, sys.meta_path)
