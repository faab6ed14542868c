import sys
print("blocked by policy", file=sys.stderr)
sys.exit(2)
