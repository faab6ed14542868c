#: stdin first\nsecond
print(input("ask: "), input(), sep="|")
input()
