import sys


def where():
    return __file__.replace("by_function.py", "lib")


sys.path[:0] = [where()]
import json
import select
print(json.dumps(1), select.__file__ == where() + "/select.py")
