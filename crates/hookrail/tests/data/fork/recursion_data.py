import json
try:
    json.loads("[" * 100000)
except RecursionError as error:
    print(type(error).__name__)
