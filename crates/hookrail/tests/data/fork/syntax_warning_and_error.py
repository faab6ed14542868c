x = (1 is 1)
y = "\d"
def
