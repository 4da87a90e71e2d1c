"""Which tasks have loss plateaus that `fovea predict` prints, by the names of their rungs. For scripts/reference."""

import json
import os
import subprocess
import tempfile

from task_examples import chosen


def ladder(program, name):
    """The names of a task's rungs, at the settings of its example; *closed form* if it has numbers alone; – if it has none."""
    kind, settings = chosen().get(name, ("", {}))
    if kind not in ("streams", "vectors"):
        return "–"
    given = [word for key, value in settings.items() for word in ("--set", f"task.{key}={json.dumps(value)}")]
    with tempfile.TemporaryDirectory() as store:
        command = [program, "predict", name, *given, "--draws", "100", "--json", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "FOVEA_HOME": store})
    found = json.loads(done.stdout) if done.returncode == 0 else {}
    return ", ".join(one["rung"] for one in found.get("rungs", [])) or ("closed form" if "heights" in found else "–")
