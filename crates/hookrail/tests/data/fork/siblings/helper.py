import json


def fail(text):
    raise ValueError(json.dumps(text, ensure_ascii=False))
