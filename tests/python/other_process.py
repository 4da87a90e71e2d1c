"""Python in another process."""

import os
import subprocess
import sys
import textwrap


def python(program, **more):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, **more},
    )
