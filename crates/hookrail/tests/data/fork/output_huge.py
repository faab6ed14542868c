import sys
for number in range(40000):
    print("line", number, "x" * 40)
    if number % 1000 == 0:
        print("error", number, file=sys.stderr)
