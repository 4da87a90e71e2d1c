#!/usr/bin/env python3
"""Keeps the first figure of experiments for their pages in the gallery.

    scripts/gallery_figures.py quick|full [EXPERIMENT…]      (default: every experiment that the store has reproduced)

It reads the store of FOVEA_HOME, whose experiments must have been reproduced in that form, and writes docs/gallery/figures/NAME.FORM.svg.
A figure above 150 kB is left out. FOVEA_PROGRAM names the program. Run scripts/reference after it.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent.parent
KEPT = HERE / "docs" / "gallery" / "figures"
LARGEST = 150_000


def main():
    form, names = (sys.argv[1:2] or [""])[0], sys.argv[2:]
    if form not in ("quick", "full"):
        sys.exit(__doc__)
    KEPT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        program = os.environ.get("FOVEA_PROGRAM", HERE / "build" / "fovea")
        subprocess.run([program, "report", "--figures", folder], check=True, stdout=subprocess.DEVNULL)
        for file in sorted(pathlib.Path(folder).glob("*-1.svg")):
            name = file.stem.removesuffix("-1")
            if (names and name not in names) or not (HERE / "experiments" / f"{name}.toml").exists():
                continue
            if file.stat().st_size > LARGEST:
                print(f"{name}: {file.stat().st_size} bytes, left out")
                continue
            (KEPT / f"{name}.{form}.svg").write_bytes(file.read_bytes())


main()
