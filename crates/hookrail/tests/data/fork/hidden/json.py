def dumps(value):
    return "the json of the project"
