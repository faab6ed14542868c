print("the re of the project")
