import os
print(sorted(os.listdir("/proc/self/fd")))
with open("/dev/null") as file:
    print(file.fileno())
os.closerange(3, 256)
print("alive")
