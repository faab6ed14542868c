import random
import tempfile
import uuid
import os
print(len({random.random(), random.random()}), uuid.uuid4().version, os.getpid() > 1)
print(random.Random(7).random(), hash(7), hash("") == 0)
