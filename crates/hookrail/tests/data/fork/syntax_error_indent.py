def a():
print("broken")
