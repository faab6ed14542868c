import os
import signal
import sys
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(44))
os.kill(os.getpid(), signal.SIGTERM)
