"""What the reference adds to a task or model: equations of its source file, an example, sources and experiments. For scripts/reference."""

import functools
import pathlib
import re

import part_headers
import task_examples
import tomllib

HERE = pathlib.Path(__file__).resolve().parent.parent
SECTIONS = {"tasks": "task", "models": "model"}


@functools.cache
def files():
    """{(kind, name): (the file whose comment describes this part, the first part of that file)}."""
    found = {}
    for folder in part_headers.FOLDERS:
        for file in sorted((HERE / folder).rglob("*.cpp")):
            text = file.read_text()
            names = [
                (f"{kind or 'model'}s".lower(), name)
                for kind, name in re.findall(r'\bRegister(?:<(Task)>|Model<[^>]*(?:<T>)?>) \w+\(\s*"([\w-]+)"', text)
            ]
            header = file.with_suffix(".h")
            told = header if not part_headers.has_text(file) and header.is_file() else file
            for kind, name in names:
                found[kind, name] = told, min((one for _, one in names), key=lambda one: place(told, one))
    return found


def place(file, name):
    """Where the comment of a file first names a part."""
    return "\n".join(text for _, text in part_headers.comment(file)).find(f"`{name}`") % 10**9


@functools.cache
def experiments():
    """{(kind, name): [(name of an experiment whose spec names this part, numbers of the sources of its claims)]}."""
    found = {}
    for file in sorted((HERE / "experiments").glob("*.toml")):
        experiment = tomllib.loads(file.read_text())
        cited = {
            int(one)
            for claim in experiment.get("claim", [])
            for one in re.findall(r"\[(\d+)\]", claim.get("source", ""))
        }
        for kind, section in SECTIONS.items():
            found.setdefault((kind, experiment.get(section, {}).get("name")), []).append((file.stem, cited))
    return found


def notes(kind, name, summary):
    """Paragraphs of Markdown about a part, by the comment of its source file if it has one."""
    if kind not in SECTIONS:
        yield summary
        return
    file, first = files()[kind, name]
    if first == name:
        yield part_headers.markdown(file)
    else:
        yield f"{summary} The equations are those of [`{first}`](#{first})."
    if kind == "tasks":
        own = "The examples are yours ([a task in Python](../how-to/own-parts.md#task))."
        yield own if name == "python" else task_examples.example(name)
    yield " ".join(links(kind, name, file))


def links(kind, name, file):
    yield f"Definition: [{file.name}](../../{file.relative_to(HERE)})."
    if parts := part_headers.named(file):
        yield "Layers: " + ", ".join(f"[{one.name}](#{one.stem})" for one in parts) + "."
    if works := [one for one in part_headers.works(file) if one not in part_headers.markdown(file)]:
        yield "Source: " + "; ".join(works) + "."
    used = experiments().get((kind, name), [])
    if cited := sorted(set().union(*(numbers for _, numbers in used))):
        numbers = ", ".join(f"[{one}](sources.md#source-{one})" for one in cited)
        yield f"Sources of its experiments' claims: {numbers}."
    if used:
        yield "Experiments: " + ", ".join(f"[{one}](../gallery/{one}.md)" for one, _ in used) + "."


def layers():
    """A section for each layer that the equations of models name."""
    models = [file for (kind, _), (file, _) in sorted(files().items()) if kind == "models"]
    for file in part_headers.layers(dict.fromkeys(models)):
        where = file.relative_to(HERE)
        yield f"### {file.stem}\n\n{part_headers.markdown(file)}\n\nDefinition: [{where}](../../{where})."


def updates():
    """How optimisers and schedules change weights and rate, by the comments of their files."""
    rooms = HERE / "fovea" / "nn" / "optimizer"
    yield (
        "An update moves a weight w by its gradient d. The rate is η, the weight decay λ, and t the number of the update. "
        "The norm ‖d‖ is over all groups that are not frozen:"
    )
    lines = []
    for name, file in (("clip, normalize", "optimizer.h"), ("sgd", "sgd.cpp"), ("adam, adamw", "adam.cpp")):
        lines += [name, *(text for block, text in part_headers.comment(rooms / file) if block)]
    yield "```text\n" + "\n".join(lines) + "\n```"
    yield "The rate of an update:"
    said = []
    for file in (rooms / "schedule.h", *sorted(rooms.glob("*_schedule.cpp"))):
        text = part_headers.sentences(" ".join(text for _, text in part_headers.comment(file)))
        kept = [one for one in part_headers.SENTENCE.split(text) if re.search(r"\b(share|rate|progress)\b", one)]
        said.append("- " + part_headers.prose(" ".join(kept), file))
    yield "\n".join(said)
