"""Where the program is: the one that this package brought, else the one of the search path."""

from __future__ import annotations

import os
import shutil
import sysconfig


def find_program() -> str:
    """The path of the program ``hookrail``."""
    installed = os.path.join(sysconfig.get_path("scripts"), "hookrail")
    if os.access(installed, os.X_OK):
        return installed
    return shutil.which("hookrail") or "hookrail"
