import os
print("lost, because nothing is flushed")
os._exit(5)
