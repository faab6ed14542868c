import os
import sys
unclosed = open("/dev/stderr", "w")
unclosed.write("written when the file is let go\n")
sys.exit(2)
