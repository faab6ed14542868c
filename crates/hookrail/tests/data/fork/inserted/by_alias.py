import os
import sys as system
system.path.insert(0, os.path.dirname(__file__) + "/lib")
import json
print(json.dumps(1))
