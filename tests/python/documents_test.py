"""What the README, the tutorials and the how-to guides show is what comes out: programs run, and commands print what is shown."""

import importlib.util
import re
import sys

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
import shown_output  # noqa: E402

PAGES = [
    "README.md",
    *sorted(
        str(f.relative_to(ROOT))
        for kind in ("tutorials", "how-to", "explanation")
        for f in (ROOT / "docs" / kind).glob("*.md")
    ),
]


def having(mark):
    return [page for page in PAGES if re.search(rf"^```{mark}$", (ROOT / page).read_text(), re.M)]


PROGRAM = re.compile(r"^```python\n(.*?)^```(?:\n\n```text\n(.*?)^```)?$", re.S | re.M)


@pytest.mark.parametrize("page", having("python"))
def test_programs_run_and_print_what_is_shown(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # programs may write figures
    names = {}
    for program, shown in PROGRAM.findall((ROOT / page).read_text()):
        if "import torch" in program and importlib.util.find_spec("torch") is None:
            pytest.skip("PyTorch is not installed")
        exec(compile(program, f"<{page}>", "exec"), names)
        printed = capsys.readouterr().out
        assert shown_output.agrees("python", shown.splitlines(), printed), f"{page}\n{printed}"


@pytest.mark.parametrize("page", having("console"))
def test_commands_print_what_is_shown(page, tmp_path):
    folder = shown_output.folder_for(ROOT / page, tmp_path)
    for block in shown_output.BLOCK.findall((ROOT / page).read_text()):
        for command, shown in shown_output.commands_in(block):
            text, code = shown_output.printed(command, folder)
            fails = any(line.startswith("fovea: ") for line in shown)
            assert (code != 0) == fails, f"{command}\n{text}"
            assert shown_output.agrees(command, shown, text), (
                f"{page}, run scripts/shown_output.py {page}\n$ {command}\n{text}"
            )


def test_other_output_is_seen():
    assert shown_output.agrees("fovea show 1", ["a  0.5", "…", "end"], "a 0.71\nb\nc\nend\nmore\n")
    assert not shown_output.agrees("fovea show 1", ["a  0.5"], "b 0.5\n")
    table = ["✓ supported  one claim of two    1  >= 1", "             lines"]
    assert shown_output.agrees(
        "fovea reproduce x",
        table,
        "✓ supported  one claim of   0.995  >= 1\n  two lines\n\n1 of 1 claim is supported.\n",
    )
    assert not shown_output.agrees(
        "fovea reproduce x", table, "✗ not supported  one claim of   0.9  >= 1\n  two lines\n"
    )
