NAME = "helper in sub"
