def down():
    down()


try:
    down()
except RecursionError as error:
    print("bounded:", error)
