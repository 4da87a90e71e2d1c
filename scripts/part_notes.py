"""What the reference adds to the settings of a task or model: equation or example, source file and experiments. For scripts/reference."""

import functools
import pathlib
import re

import tomllib

HERE = pathlib.Path(__file__).resolve().parent.parent
PLACES = {"tasks": "task", "models": "model"}


@functools.cache
def written():
    return tomllib.loads((HERE / "scripts" / "part_notes.toml").read_text())


@functools.cache
def sources():
    """{(kind, name): the file that registers this part}."""
    found = {}
    for file in sorted((HERE / "fovea").rglob("*.cpp")):
        for kind, name in re.findall(r'Register<(Task|Model)> \w+\(\s*"([\w-]+)"', file.read_text()):
            found[f"{kind.lower()}s", name] = file.relative_to(HERE)
    return found


@functools.cache
def used():
    """{(kind, name): the experiments whose spec names this part}."""
    found = {}
    for file in sorted((HERE / "experiments").glob("*.toml")):
        experiment = tomllib.loads(file.read_text())
        for kind, section in PLACES.items():
            found.setdefault((kind, experiment.get(section, {}).get("name")), []).append(file.stem)
    return found


def notes(kind, name):
    """Paragraphs of Markdown about a part; none for other kinds than tasks and models."""
    if note := written().get(kind, {}).get(name):
        yield f"```text\n{note.strip()}\n```"
    lines = []
    if file := sources().get((kind, name)):
        lines.append(f"Definition: [{file.name}](../../{file}).")
    if experiments := used().get((kind, name)):
        lines.append("Experiments: " + ", ".join(f"[{one}](../gallery/{one}.md)" for one in experiments) + ".")
    if lines:
        yield " ".join(lines)
