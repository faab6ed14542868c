import re
print(re.__name__)
