import sys
sys.stdout.write("no newline")
sys.exit("not allowed: ä")
