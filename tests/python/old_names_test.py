"""A script written with the names of before: it works, and each old name warns once."""

import subprocess
import sys

SCRIPT = """
import fovea
run = fovea.run("copy-subset", quick=True, steps=2, fresh=True, probes=["beta_top1"], progress=False)
assert run.metrics["beta_top1"] == run.metrics["beta_points_right"] == run.series["beta_top1"][-1]
assert run.metrics.get("beta_top1") is not None and run.metrics.get("nothing") is None
assert len(fovea.store().runs("beta_top1 >= 0 and attention_accuracy >= 0")) == 1
table = fovea.sweep("copy-subset", quick=True, steps=2, seeds=[0], again=True, progress=False)
assert len(table) == 1
assert fovea.believe is fovea.check_attention
assert fovea.Looked is fovea.Inspection
"""


def test_a_script_of_before_works_and_warns_once_of_each_old_name(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for old, now in (
        ("fresh", "ignore_checkpoint"),
        ("beta_top1", "beta_points_right"),
        ("attention_accuracy", "attention_points_right"),
        ("again", "retrain"),
        ("believe", "check_attention"),
    ):
        lines = [line for line in done.stderr.splitlines() if f"'{old}' is now '{now}'" in line]
        assert len(lines) == 1 and "FutureWarning" in lines[0] and "script.py" in lines[0], done.stderr
