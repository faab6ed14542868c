import os
print(os.getpgid(0) == os.getpid(), os.getsid(0) == os.getpid(), os.getppid() > 0)
