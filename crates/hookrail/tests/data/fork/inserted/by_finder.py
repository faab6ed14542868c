import sys


class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == "json":
            print("asked for", name)


sys.meta_path.insert(0, Finder)
import json
print(json.dumps(1))
