import json
print(json.dumps(1), json.__file__ == __file__.replace("main.py", "json.py"))
