import weakref


class Loud:
    def __init__(self, name):
        self.name = name

    def __del__(self):
        print("deleted", self.name)


one = Loud("global one")
two = Loud("global two")
two.itself = two
keep = Loud("finalized")
weakref.finalize(keep, print, "finalizer")


def local():
    Loud("local")


local()
print("end")
