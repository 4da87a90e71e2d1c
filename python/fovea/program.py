"""The program ``fovea`` within the package: the command of that name starts it."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn

PROGRAM = pathlib.Path(__file__).with_name("bin") / "fovea"


def main() -> NoReturn:
    """Become the program, with the same arguments. ``fovea check-attention`` of the program uses this Python."""
    if not PROGRAM.exists():
        sys.exit(
            "fovea: this package was built without the program. Install a wheel (scripts/wheel makes one), or: pip install ."
        )
    os.environ["FOVEA_PYTHON"] = sys.executable
    os.execv(PROGRAM, ["fovea", *sys.argv[1:]])
