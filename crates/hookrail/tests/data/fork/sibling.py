VALUE = "from beside"
