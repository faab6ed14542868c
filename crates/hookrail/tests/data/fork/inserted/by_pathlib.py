import sys
from pathlib import Path
folder = str(Path(__file__).resolve().parent / "lib")
if folder not in sys.path:
    sys.path.insert(0, folder)
import json
print(json.dumps(1))
