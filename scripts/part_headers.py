"""What the comment at the head of a C++ file says of a task, a model or a layer, as Markdown. For scripts/reference."""

import functools
import itertools
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = ("fovea", "python/src")
LAYERS = {
    "nn/recurrent": ("nn/reference/lstm.h", "nn/reference/gru.h")
}  # a folder, and the files that have its equations
INNER = ("attention_rule.h", "stream_rows.h")  # for developers alone
SENTENCE = re.compile(r"(?<=[.:?]) (?=[A-Z(`]|lab/spec )|(?<=\.) (?=[b-z] )")
FILE = re.compile(r"[\w/]+\.h\b|nn/recurrent\b")
CODE = re.compile(
    r"^(?:lab/spec|Only tests|Time-major|Arrays of the recurrent net|(?:It|They) (?:reads?|writes?) |\w+\.(?:h|cpp) )|\.cpp\b|RandomStream|\balone (?:has|have|calls?)\b"
)  # for developers


@functools.cache
def comment(file):
    """[(is a block of equations, text)] of the comment that begins a file."""
    lines = [line[2:].removeprefix(" ").rstrip() for line in re.match(r"(?://.*\n)*", file.read_text())[0].splitlines()]
    parts = []
    for block, group in itertools.groupby(lines, key=lambda line: line.startswith("  ") if line else None):
        text = ("\n" if block else " ").join(group)
        if block and len(parts) > 1 and parts[-2][0]:  # an empty line within a block
            parts[-2:] = [(True, parts[-2][1] + "\n\n" + text)]
        else:
            parts.append((block, text))
    return [(bool(block), text) for block, text in parts if block is not None]


def told(file):
    """The comment without the backward pass, and without its sentences for developers."""
    found = []
    for block, text in comment(file):
        if not block:
            text, *backward = re.split(r"(?:^|(?<=[.:] ))Backward\b", text, maxsplit=1)
            text = sentences(text.strip(), first=not found)
        if text:
            found.append((block, text))
        if not block and backward:
            break
    return found


def sentences(text, first=False):
    """The sentences that a user reads, the first one without the names of the parts."""
    text = re.sub(r" \((?:room|folder) [^)]*\)", "", text)
    kept = [one for one in SENTENCE.split(text) if not CODE.search(one) and one != "Forward:"]
    name = re.match(r"(?:Models?|Task) (?:`[\w-]+`(?:, | and )?)+:? ?(.*)", kept[0]) if first and kept else None
    if name:
        kept[0] = re.sub("^(?:a(?= )|[a-z](?=[a-z]))", lambda letter: letter[0].upper(), name[1])
    return " ".join(kept)


def file_of(name, near=None):
    """The header that a comment names, from the folder of the comment or from the library's."""
    for folder in filter(None, (near and near.parent, HERE / "fovea")):
        if (folder / name).is_file():
            return folder / name
    found = list((HERE / "fovea").rglob(name)) if "/" not in name else []
    return found[0] if len(found) == 1 else None


def named(file):
    """The headers that a file's equations name, in their order."""
    text = "\n".join(text for _, text in told(file))
    names = [one for name in FILE.findall(text) for one in LAYERS.get(name, (name,))]
    files = (file_of(name, file) for name in dict.fromkeys(names))
    return [one for one in dict.fromkeys(files) if one and one != file and is_layer(one)]


def has_text(file):
    return bool(re.match("Models? |Tasks? ", comment(file)[0][1])) if comment(file) else False


def is_layer(file):
    """Whether a header has equations that models share."""
    room = file.relative_to(HERE / "fovea").parts[0]
    return room in ("nn", "model") and file.name not in INNER and any(block for block, _ in told(file))


def layers(files):
    """The layers that these files name, directly or through another layer, and that have equations."""
    found, waiting = [], list(files)
    while waiting:
        for one in named(waiting.pop(0)):
            if one not in found:
                found.append(one)
                waiting.append(one)
    return sorted(found)


def markdown(file):
    """The comment as Markdown: prose, and blocks of equations."""
    parts = []
    for block, text in told(file):
        if not block:
            parts.append(prose(text, file))
            continue
        lines = text.split("\n")
        indent = min(len(line) - len(line.lstrip()) for line in lines if line)
        parts.append("```text\n" + "\n".join(line[indent:] for line in lines) + "\n```")
    return "\n\n".join(parts)


def prose(text, file):
    pieces = text.split("`")  # every second is code
    for place in range(0, len(pieces), 2):
        escaped = re.sub(r"([*\[\]]|(?<!\w)_|_(?!\w))", r"\\\1", pieces[place]).replace("<", "&lt;")
        pieces[place] = FILE.sub(lambda match: linked(match[0], file), escaped)
    return "`".join(pieces)


def linked(name, file):
    found = file_of(name, file)
    if found in named(file):
        return f"[{found.stem}](#{found.stem})"
    return f"[{name}](../../{found.relative_to(HERE)})" if found else name


def works(file):
    """The works that a comment cites, as in "(Name, Title, 2024.)"."""
    text = " ".join(text for block, text in comment(file) if not block)
    return re.findall(r"\(((?:[^()]|\([^()]*\))*\b(?:19|20)\d\d)\.?[^()]*\)", text)
