import os
from sys import path
path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
import json
print(json.dumps(1))
