import weakref


class Thing:
    pass


thing = Thing()
watch = weakref.ref(thing, lambda reference: print("collected"))
print("end")
