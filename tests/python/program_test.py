"""The program within the package, and what it asks of the package: `fovea check-attention`."""

import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys

import fovea.program
import numpy as np
import pytest

QUICK = ("--seeds", "2", "--epochs", "6", "--hidden", "16", "--quiet")


def asked(program, *words):
    environment = {**os.environ, "FOVEA_PYTHON": sys.executable}
    return subprocess.run(
        [program.path, "check-attention", *map(str, words)], capture_output=True, text=True, env=environment
    )


def written(folder, lines, name="texts.tsv"):
    file = folder / name
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def drawn(count, word):
    random = np.random.default_rng(0)
    for place in range(count):
        words = [f"w{n}" for n in random.integers(40, size=8)]
        yield ("yes", "no")[place % 2], " ".join([*words[:3], *word(place % 2, random), *words[3:]])


def test_the_package_brings_the_program(program):
    (entry,) = importlib.metadata.entry_points(group="console_scripts", name="fovea")
    assert entry.load() is fovea.program.main
    script = pathlib.Path(sys.executable).with_name("fovea")
    said = [
        subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
        for path in (script, program.path)
    ]
    assert said[0] == said[1] == f"fovea {fovea.__version__}\n"


def test_a_package_without_the_program_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(fovea.program, "PROGRAM", tmp_path / "fovea")
    with pytest.raises(SystemExit, match="built without the program"):
        fovea.program.main()


def test_the_command_answers_from_its_own_python(tmp_path):
    file = written(tmp_path, [f"{label}\t{text}" for label, text in drawn(20, lambda label, random: [])])
    done = subprocess.run(
        [pathlib.Path(sys.executable).with_name("fovea"), "check-attention", file],
        capture_output=True,
        text=True,
        env={"PATH": "/nowhere", "HOME": str(tmp_path)},
    )
    assert done.returncode == 2 and done.stdout == "", done.stdout
    assert done.stderr.endswith(
        f"{file}: nothing was measured: there are 20 different texts, and a check needs 60. Give more different texts of each class.\n"
    ), done.stderr


def test_a_word_that_gives_the_label_away(program, tmp_path):
    file = written(
        tmp_path,
        ["class\ttitle\trest"]
        + [f"{label}\thead\t{text}" for label, text in drawn(300, lambda label, random: ["leak"] * label)],
    )
    page = tmp_path / "page.html"
    done = asked(program, file, "--label", "class", "--text", "title,rest", "-o", page, *QUICK)
    assert done.returncode == 0 and done.stderr == f"fovea: wrote {page}\n", done.stderr
    assert done.stdout.startswith("'leak' alone gives the label of ")
    assert "\nOne word tells; the word with most attention " in done.stdout
    assert "- Check 'leak': it is in 150 of 150 texts of class 'no'" in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= 100
    shown = page.read_text(encoding="utf-8")
    assert (
        "<title>texts.tsv: one word tells</title>" in shown
        and "<h1>&#x27;leak&#x27; alone gives the label of " in shown
    )
    assert shown.count("<circle") == 9 and "&#x27;leak&#x27;" in shown


def test_a_page_is_not_written_over_where_nothing_could_be_told(program, tmp_path):
    file = written(tmp_path, [f"{label}\t{text}" for label, text in drawn(20, lambda label, random: [])])
    page = tmp_path / "page.html"
    page.write_text("an earlier report", encoding="utf-8")
    done = asked(program, file, "-o", page, *QUICK)
    assert (
        done.returncode == 2 and done.stdout == "" and done.stderr.endswith(f"of each class. {page} was not written.\n")
    )
    assert page.read_text(encoding="utf-8") == "an earlier report"


def test_labels_at_random_as_json(program, tmp_path):
    file = written(
        tmp_path,
        [json.dumps({"label": label, "text": text}) for label, text in drawn(300, lambda label, random: [])],
        "texts.jsonl",
    )
    done = asked(program, file, "--json", *QUICK)
    belief = json.loads(done.stdout)
    assert belief["verdict"] == "nothing was found" and belief["seeds"] == 2 and belief["texts"] == 300


def test_two_words_together(program, tmp_path):
    def pair(label, random):
        first = int(random.integers(2))
        return [("not", "very")[first], ("good", "bad")[first ^ label]]

    file = written(tmp_path, [f"{label}\t{text}" for label, text in drawn(1200, pair)])
    done = asked(program, file, "--seeds", 2, "--epochs", 20, "--hidden", 32, "--quiet")
    assert done.stdout.startswith("Do not show attention as the reason: ") or done.stdout.startswith(
        "Attention may be shown"
    )
    assert "\nNo single word tells; the word with most attention " in done.stdout, done.stdout


def test_all_duplicates(program, tmp_path):
    done = asked(program, written(tmp_path, ["a\tthe same", "b\tthe same"] * 100), "--json")
    belief = json.loads(done.stdout)
    assert belief["verdict"] == "too few different texts" and belief["conflicts"] == 100 and belief["figures"] == {}


@pytest.mark.parametrize(
    "lines, words, code, says",
    [
        (["a\tone text", "a\tanother"], (), 2, "every text has the label 'a'"),
        ([f"{'ab'[n % 2]}\tu{n}" for n in range(80)], (), 2, "no word is twice in these texts"),
        (
            ["a\tone", "b\ttwo"],
            ("-o", "/nowhere/page.html"),
            2,
            "/nowhere/page.html: there is no folder '/nowhere'. Make it",
        ),
        (["a\tone", "b\ttwo"], ("--label", "clas"), 2, "clas"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(program, tmp_path, lines, words, code, says):
    done = asked(program, written(tmp_path, lines), *words)
    assert done.returncode == code and done.stderr.startswith("fovea: ") and says in done.stderr, done.stderr
    assert done.stderr.count("\n") == 1 and "Traceback" not in done.stderr
