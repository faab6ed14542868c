print("ä")
