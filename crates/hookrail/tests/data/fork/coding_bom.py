print("a byte order mark", __file__[-6:])
print("and CRLF")
