import os
if os.fork() == 0:
    raise RuntimeError("in a fork of the script")
os.wait()
print("parent")
