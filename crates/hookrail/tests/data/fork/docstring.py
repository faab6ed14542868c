"""What it is."""
from __future__ import annotations
x: int = 1
print(__doc__, __annotations__)
