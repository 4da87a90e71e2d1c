"""scripts/raw_findings.py: findings from exported arrays."""

import pathlib
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def exported(program, file, experiment, names, *settings):
    words = ["run", experiment, "--quick", "--quiet", "--set", f"probe.names={names}".replace("'", '"')]
    for one in settings:
        words += ["--set", one]
    subprocess.run([program.path, *words], check=True, capture_output=True)
    subprocess.run([program.path, "export", "--all", "-o", file], check=True, capture_output=True)
    return file


def findings(file):
    words = [sys.executable, ROOT / "scripts" / "raw_findings.py", file]
    return subprocess.run(words, capture_output=True, text=True)


@pytest.fixture
def copying(program, tmp_path):
    names = ["attention_points_right", "beta_points_right", "knowledge", "offsets", "kept_beta"]
    settings = ("train.steps=80", "probe.every=5", "probe.examples=100", "probe.keep=100")
    return exported(program, tmp_path / "copying.npz", "copy-order", names, *settings)


def test_copying_has_its_words_first_by_rank(copying):
    done = findings(copying)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    for name in ("attention_points_right", "beta_points_right", "knowledge", "diagonal_knowledge", "diagonal_weight"):
        assert any(line.startswith(f"copy-order, seed 0: {name} differs by at most 0.0") for line in lines), done.stdout
    assert lines[-1] == "copy-order: 1 from 1 runs"


def test_other_arrays_are_found(copying):
    arrays = dict(np.load(copying))
    arrays["arrays/attention/values"] = np.roll(arrays["arrays/attention/values"], 3, axis=-1)
    np.savez(copying, **arrays)
    done = findings(copying)
    assert done.returncode == 1 and done.stdout.splitlines()[-1] == "copy-order: 0 from 1 runs", done.stdout


def test_a_head_is_measured_as_the_probe_does(program, tmp_path):
    settings = ("train.steps=100", "probe.examples=100", "probe.keep=100")
    done = findings(exported(program, tmp_path / "sink.npz", "sink", ["heads", "kept_beta"], *settings))
    assert done.returncode == 0, done.stdout + done.stderr
    for name in ("weight_on_first_unneeded", "weight_on_needed", "weight_on_previous", "induction"):
        assert f"sink, seed 0: {name} differs by at most 0.0" in done.stdout, done.stdout
    assert float(done.stdout.splitlines()[-1].split()[1]) > 1.2
