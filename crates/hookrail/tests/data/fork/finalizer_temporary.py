import os
import tempfile
folder = tempfile.TemporaryDirectory()
file = open(folder.name + "/file", "w")
file.write("x")
print(os.path.exists(file.name))
