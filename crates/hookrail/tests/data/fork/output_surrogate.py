import sys
print("shown", ascii("\udcff"))
sys.stderr.write("\udcff escaped\n")
print("\udcff")
