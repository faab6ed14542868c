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
print("parent", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else 5)
sys.exit(2)
