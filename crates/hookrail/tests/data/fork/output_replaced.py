import io
import sys
sys.stdout = io.StringIO()
print("into memory")
sys.__stdout__.write(sys.stdout.getvalue())
