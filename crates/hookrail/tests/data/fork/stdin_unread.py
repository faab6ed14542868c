#: stdin nobody reads this
print("done")
