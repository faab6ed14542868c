import re
import sys
print(1 is 1)
print(re.match("\d", "1"))
