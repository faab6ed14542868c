import json
print(json.dumps({"a": 1}), json.__name__)
