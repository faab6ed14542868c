import os
import sys
pid = os.fork()
if pid == 0:
    if os.fork() == 0:
        print("grandchild", os.getpgid(0) != os.getpid())
        sys.exit(0)
    os.wait()
    print("child")
    sys.exit(5)
print("parent", os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
sys.exit(2)
