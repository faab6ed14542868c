import os
import subprocess
import sys
print("first", flush=True)
print(subprocess.run(["sh", "-c", "cat; echo err >&2; exit 4"], input=b"in", stderr=subprocess.PIPE).returncode)
print(subprocess.check_output([sys.executable, "-c", "import sys; print(sys.argv)"], text=True))
sys.stdout.flush()
os.system("echo by os.system; ls /proc/self/fd | wc -l")
