def steps():
    try:
        yield 1
    finally:
        print("the generator ends")


running = steps()
print(next(running))
