print("never")
if True
    print("broken")
