import os
import sys
print("lost")
os.close(1)
os.close(2)
sys.exit(6)
