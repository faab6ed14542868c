class Small:
    __slots__ = ()

    def __del__(self):
        print("gone")


small = Small()
