import gc


class Loud:
    def __del__(self):
        print("deleted")


loud = Loud()
gc.freeze()
