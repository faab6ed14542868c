import os
import sys
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "sub"))
sys.path.append(os.path.join(os.path.dirname(__file__), "lib"))
import helper
import json
print(helper.NAME, json.dumps(1))
