class Meta(type):
    def __getattribute__(cls, name):
        print("asked for", name)
        return super().__getattribute__(name)

    def __del__(cls):
        print("a class goes")


class Thing(metaclass=Meta):
    pass


print("end")
