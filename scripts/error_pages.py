"""The pages of errors: exit codes, exceptions and examples for users, the table of advice for translators. For scripts/reference."""

import os
import pathlib
import re
import subprocess
import tempfile

from peer_seeds import table

import fovea

HERE = pathlib.Path(__file__).resolve().parent.parent
EXAMPLES = {
    "A wrong name": (
        "run copy-subste",
        "run copy-subset --quik",
        "run copy-subset --set task.vocabb=40",
        "list models seq2sek",
    ),
    "A wrong value": (
        "run copy-subset --set task.vocab=many",
        "run copy-subset --quick --set task.vocab=10",
        "runs --where 'loss<'",
    ),
    "Something is missing": ("show 99", "predict reviews.tsv", "data show sms", "plot loss"),
}


def printed(program, command):
    """What the program prints of a wrong command, with an empty store."""
    with tempfile.TemporaryDirectory() as store:
        given = {"cwd": store, "env": {**os.environ, "FOVEA_HOME": store, "COLUMNS": "100"}}
        done = subprocess.run([program, *re.sub("'", "", command).split()], capture_output=True, text=True, **given)
    assert done.returncode == 2, f"fovea {command} is right: choose another example of a wrong command"
    return f"$ fovea {command}\n{done.stderr.strip()}"


def of_python():
    try:
        fovea.run("copy-subset", vocab="many", keep=False)
    except fovea.Error as error:
        parts = {name: getattr(error, name) for name in ("problem", "remedy", "place", "nearest")}
    return "\n".join(f"{name:8} {value!r}" for name, value in parts.items())


def advice(cell):
    text = (HERE / "fovea/base/error/remedies.inc").read_text()
    text = re.sub(r"//[^\n]*", "", text.split("//   REMEDY", 1)[-1].split("\n\n", 1)[-1])
    literal = r'((?:"(?:[^"\\]|\\.)*"\s*)+)'
    for code, *words in re.findall(rf"REMEDY\(\s*(\w+),\s*{literal},\s*{literal},\s*{literal}\)", text):
        plain, program, python = ("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', one)).replace('\\"', '"') for one in words)
        program, python = program or plain, python or plain  # without words of its own, each has the plain ones
        yield [cell(program), "the same" if python == program else cell(python), f"`{code}`"]


def pages(page, cell, program):
    codes = [
        ["0", "done; a claim that is not supported is a result"],
        ["1", "the input was valid, but the command could not do all of it"],
        ["2", "a wrong option, setting or name, or a file that is missing or has wrong content; nothing was trained"],
    ]
    unfinished = [
        ["`run`, `sweep`, `reproduce`", "a run failed or was stopped, as by Ctrl-C"],
        ["`compare`", "the groups have no pair of runs"],
        ["`runs merge`", "a run could not be copied"],
        ["`rm --restore`", "a run stays in the bin: the store has the same run"],
        ["`bench`", "a model was not timed"],
        ["every command", "the system refuses to read or write a file: permissions, a full disk"],
    ]
    exceptions = [
        ["`fovea.WrongInput`", "`ValueError`", "a wrong argument, setting or file"],
        ["`fovea.WrongType`", "`fovea.WrongInput`, `TypeError`", "an argument of a wrong type"],
        ["`fovea.Failure`", "`RuntimeError`", "what could not be done"],
    ]
    attributes = [
        ["`problem`", "what is wrong"],
        ["`remedy`", "what to do, or the meaning of a setting with a wrong value; empty if there is no advice"],
        [
            "`place`",
            "the location of the problem: the argument, or the file with line and column; empty if there is none",
        ],
        ["`nearest`", "the known name that is most similar to a wrong one, or an empty text"],
    ]
    examples = [
        f"### {heading}\n\n```text\n" + "\n\n".join(printed(program, one) for one in commands) + "\n```"
        for heading, commands in EXAMPLES.items()
    ]
    yield (
        "reference/errors.md",
        page(
            "Errors and exit codes",
            "Find here exit codes, exceptions, and examples of errors. An error has its location, the problem, and what to do:\n\n"
            f"```text\n{printed(program, 'run copy-subset --quick --set task.vocab=10')}\n```",
            "## Exit codes\n\n" + "\n".join(table(["exit code", "meaning"], codes)),
            "Exit code 1 of each command:\n\n" + "\n".join(table(["command", "1 means"], unfinished)),
            "## Exceptions in Python\n\nAll are `fovea.Error`.\n\n"
            + "\n".join(table(["exception", "is a", "raised for"], exceptions)),
            "An exception has four attributes:\n\n" + "\n".join(table(["attribute", "has"], attributes)),
            '```python\ntry:\n    fovea.run("copy-subset", vocab="many")\nexcept fovea.WrongInput as error:\n'
            "    print(error.problem, error.remedy, error.place, error.nearest)\n```\n\nHere the attributes are:\n\n"
            f"```text\n{of_python()}\n```",
            "## Examples\n\nThe first line of each example is the wrong command. Each of these commands ends with exit code 2.",
            *examples,
            "[Advice of errors](../developers/advice.md) is for translators and contributors.",
        ),
    )
    yield (
        "developers/advice.md",
        page(
            "Advice of errors",
            "Find here the words of each advice, if you translate Fovea or change an error. [Errors and exit codes](../reference/errors.md) is for users.\n\n"
            "```\nfovea run copy-subset --quick --set task.vocab=10\n```",
            "The table is sorted by its first column. `<0>`, `<1>`, `<2>`, `<name>`, `<all>` and `<set>` are names or values of the case. `<near>` is the nearest known name, if there is one. `<nearest>` is the nearest known name, or all known names.",
            "\n".join(
                table(["advice of the program", "advice in Python", "code in the library"], sorted(advice(cell)))
            ),
        ),
    )
