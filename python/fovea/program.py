"""The program ``fovea`` that lies within the package: what the command of that name starts."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import NoReturn

PROGRAM = pathlib.Path(__file__).with_name("bin") / "fovea"


def main() -> NoReturn:
    """Becomes the program, with the words that this one was given. It asks this Python what is asked of Python (``fovea check-attention``)."""
    if not PROGRAM.exists():
        sys.exit(
            "fovea: this package was built without the program. Install a wheel (scripts/wheel makes one), or: pip install ."
        )
    os.environ["FOVEA_PYTHON"] = sys.executable
    os.execv(PROGRAM, ["fovea", *sys.argv[1:]])
