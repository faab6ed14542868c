#: stdin through a descriptor
import os
print(os.read(0, 100))
with open(0, closefd=False) as again:
    print(again.read())
print(open("/dev/stdin").read() == "")
