print("the select of lib")
