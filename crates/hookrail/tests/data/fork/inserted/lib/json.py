def dumps(value):
    return "the json of lib"
