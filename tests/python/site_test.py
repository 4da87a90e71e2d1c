"""scripts/site knows its options, and takes none of them for a folder."""

import subprocess

import pytest
from conftest import ROOT


def site(*arguments, folder):
    return subprocess.run(
        [ROOT / "scripts" / "site", *arguments], cwd=folder, capture_output=True, text=True, timeout=60
    )


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_is_printed(option, tmp_path):
    done = site(option, folder=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("scripts/site [--release] [FOLDER]")
    assert not (ROOT / option).exists()


@pytest.mark.parametrize("arguments", [["--relase"], ["--release", "-x"], ["one", "two"]])
def test_other_options_are_refused(arguments, tmp_path):
    done = site(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("scripts/site [--release] [FOLDER]")
    assert not any((ROOT / one).exists() for one in arguments)
