class Mine(KeyboardInterrupt):
    pass


raise Mine("a subclass")
