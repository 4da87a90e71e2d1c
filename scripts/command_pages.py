"""The page of commands: an index, shared options, environment variables, and each command's --help. For scripts/reference."""

import re
import subprocess
import sys

from peer_seeds import table
from setting_tables import cell

GROUPS = {
    "train": ("run", "sweep", "reproduce", "watch"),
    "predict and check attention": ("predict", "check-attention", "measure", "audit", "inspect"),
    "read runs": ("runs", "show", "compare", "plot", "report", "serve"),
    "find names": ("list",),
    "add texts": ("data",),
    "keep order": ("tag", "note", "rm", "gc", "export"),
    "measure speed": ("bench",),
}
# Options that several commands have, and what each takes. The commands that have them are found in their --help.
SHARED = {
    "--checkpoints": (
        "steps, as in `0,1,2,4`",
        "steps whose weights are kept ([export weights](../how-to/export-weights.md))",
    ),
    "--device": ("`cpu` or `cuda`", "where PyTorch computes; needs `--engine`"),
    "--engine": ("`torch`", "PyTorch computes the gradients ([guide](../how-to/train-in-pytorch.md))"),
    "--format": ("a name", "format of a file that is read or written; default: by the file's name"),
    "--full": ("", "full form of an experiment; the default of `run`, `sweep` and `predict`"),
    "--ignore-checkpoint": ("", "start at step 0 if there is a checkpoint"),
    "--jobs": ("an integer", "number of runs at a time; default: one for each core"),
    "--json": ("", "print one JSON document ([keys](json.md))"),
    "--output": ("a file", "the file to write; its ending chooses the format"),
    "--quick": ("", "quick form of an experiment; the default of `reproduce`"),
    "--quiet": ("", "show no progress"),
    "--seed": ("an integer, 0 or more", "seed of one run"),
    "--seeds": ("a list or range, as in `0..4`", "seeds of several runs"),
    "--set": (
        "`KEY=VALUE`",
        "change a setting ([tasks](tasks.md), [models](models.md), [training](training.md), [probes](probes.md))",
    ),
    "--skip-bad": ("", "skip and count malformed lines ([data files](data-files.md#malformed-lines))"),
    "--threads": ("an integer", "number of threads; results do not depend on it"),
    "--where": ("a [condition](expressions.md)", "runs that meet it, in addition to the named runs"),
}
# Options that mean something else in a command. Its --help has the meaning.
OTHER_MEANING = {
    "bench": ["--quick"],
    "check-attention": ["--seed", "--seeds", "--threads"],
    "predict": ["--seed", "--threads"],
    "runs": ["--where"],
}
VARIABLES = [
    [
        "`FOVEA_HOME`",
        "a folder",
        "`$XDG_DATA_HOME/fovea`, else `~/.local/share/fovea`",
        "where runs and corpora are kept ([store](store.md))",
    ],
    ["`FOVEA_PYTHON`", "a program", "`python3`", "the Python of `check-attention` and `--engine torch`"],
    [
        "`FOVEA_SIMD`",
        "a set of instructions, as in `avx2`",
        "the best of the processor",
        "at most these vector instructions are used ([same bits](precision.md#the-same-bits))",
    ],
    ["`NO_COLOR`", "any text", "not set", "print without colours"],
]


def help_of(program, *words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, check=True).stdout.rstrip()


def commands_in(text):
    listed = re.search(r"^Commands:\n((?:  .*\n?)+)", text, re.M)
    return re.findall(r"^  ([\w-]+)  ", listed[1], re.M) if listed else []


def helps(program, words):
    """(words of a command, its --help) of a command and the commands below it."""
    text = help_of(program, *words)
    yield words, text
    for name in commands_in(text):
        yield from helps(program, [*words, name])


def shared_rows(texts):
    rows = []
    for option, (takes, meaning) in SHARED.items():
        having = [" ".join(words) for words, text in texts if re.search(rf"^  (?:-\w,)?{option}\b(?!-)", text, re.M)]
        having = [name for name in having if option not in OTHER_MEANING.get(name, [])]
        links = ", ".join(f"[{name}](#fovea-{name.replace(' ', '-')})" for name in having)
        rows.append([f"`{option}`", takes or "–", meaning, "most" if len(having) > 12 else links])
    return rows


def other_meanings():
    """A sentence on the options of OTHER_MEANING, such as `--quick` of bench."""
    of = {
        name: " and ".join(filter(None, [", ".join(f"`{one}`" for one in options[:-1]), f"`{options[-1]}`"]))
        for name, options in OTHER_MEANING.items()
    }
    listed = "; ".join(f"{options} of [{name}](#fovea-{name})" for name, options in of.items())
    return f"Some options have another meaning, in the help of their command: {listed}."


def commands_page(program, page):
    text = help_of(program)
    summaries = dict(re.findall(r"^  ([\w-]+) {2,}(\S.*(?:\n {20,}\S.*)*)", text.split("Commands:")[1], re.M))
    rows = [
        [f"[`{name}`](#fovea-{name})", cell(re.sub(r"\s+", " ", summaries[name])), to]
        for to, names in GROUPS.items()
        for name in names
    ]
    if unlisted := set(commands_in(text)) - {name for names in GROUPS.values() for name in names}:
        sys.exit(f"GROUPS in scripts/command_pages.py lacks {', '.join(sorted(unlisted))}")
    texts = [one for name in commands_in(text) for one in helps(program, [name])]
    parts = [f"{'##' + '#' * (len(words) > 1)} fovea {' '.join(words)}\n\n```text\n{one}\n```" for words, one in texts]
    intro = (
        "Find here every command and option of the program. `fovea COMMAND --help` prints the same. The sections below are in alphabetical order."
        "\n\n```\nfovea run toy-uniform\n```"
    )
    shared = "## Options of several commands\n\n" + "\n".join(
        [*table(["option", "takes", "meaning", "commands"], shared_rows(texts)), "", other_meanings()]
    )
    variables = "## Environment variables\n\n" + "\n".join(table(["variable", "takes", "default", "effect"], VARIABLES))
    output = (
        "## Output and exit codes\n\nResults go to standard output. Progress, notices and errors go to standard error. [Exit codes](errors.md#exit-codes) are 0 "
        "(done), 1 (failed) and 2 (wrong option, setting, name or file)."
    )
    listed = "\n".join(table(["command", "does", "to"], rows))
    return page("Commands", intro, listed, shared, variables, output, f"## fovea\n\n```text\n{text}\n```", *parts)
