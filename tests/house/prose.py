#!/usr/bin/env python3
"""Check the words of every text that people read by the rules of tests/house/prose.toml.

    tests/house/prose.py               fails if a file breaks a rule more often than tests/house/prose_counts.tsv allows
    tests/house/prose.py --lower       writes lower counts into that table, and never higher ones
    tests/house/prose.py --accept      writes today's counts, higher ones too: after a merge with a branch that is older than the check
    tests/house/prose.py --list RULE   prints the lines that break a rule, or all with "all"; --in FILE limits them to one file
    tests/house/prose.py --counts      prints the counts of each rule by kind of text

Texts are: claims (experiments/*.toml), help (apps/cli), errors (fovea, python/src), docstrings (python/fovea, its errors too),
page (web/src) and docs (Markdown). Comments of code are not checked. A text in backticks is code, and so is a block of it.
"""

import argparse
import ast
import collections
import pathlib
import re
import sys

import tomllib

HERE = pathlib.Path(__file__).resolve().parents[2]
RULES = HERE / "tests" / "house" / "prose.toml"
ALLOWED = HERE / "tests" / "house" / "prose_counts.tsv"
KINDS = ("claims", "help", "errors", "docstrings", "page", "docs")
LENGTH = "sentence-length"
GENERATED = "<!-- Written by scripts/reference"  # pages whose texts are checked where they come from
TABLE = re.compile(
    r"<!-- (\w+) -->\n.*?<!-- end of \1 -->", re.S
)  # tables that scripts write from claims, which are checked
OFF = re.compile(r"prose: off ([\w-]+), because \S")
CODE = re.compile(r"``.*?``|`[^`]*`|\{[^{}\n]*\}|<[^<>\n]*>|https?://\S+|--[\w-]+")
WORD = re.compile(r"[A-Za-z0-9\x80-\uffff]")
# Literals of C++ and TypeScript. Neighbours that the compiler joins are joined.
CPP = re.compile(r"""//[^\n]*|/\*.*?\*/|'(?:[^'\\\n]|\\.)'|R"(\w*)\((.*?)\)\1"|"((?:[^"\\\n]|\\.)*)\"""", re.S)
WEB = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|>([^<>{}]*[A-Za-z]{2}[^<>{}]*)(?=[<{])""", re.S
)


def read_rules():
    table = tomllib.loads(RULES.read_text())
    rules = []
    for rule in table["rule"]:
        pattern = re.compile(rule["pattern"], re.M)
        if not pattern.search(rule["bad"]) or pattern.search(rule["good"]):
            sys.exit(f"{RULES.name}: the rule {rule['name']} does not find its bad example alone")
        rules.append((rule["name"], pattern, set(rule.get("in", KINDS)), rule["write"]))
    return rules, table["sentence_words"]


# Texts, each as (line, text)


def of_experiment(source):
    """The texts of an experiment: those of claims, figures and the experiment itself."""
    table, lines = tomllib.loads(source), source.splitlines()

    def strings(value, key=""):
        if isinstance(value, dict):
            for name, inner in value.items():
                yield from strings(inner, name)
        elif isinstance(value, list):
            for inner in value:
                yield from strings(inner, key)
        elif isinstance(value, str) and key in (
            "title",
            "idea",
            "says",
            "means",
            "name",
            "names",
            "note",
            "y_label",
            "x_label",
        ):
            yield value

    for text in strings(table):
        if " " in text:
            first = text.strip().splitlines()[0].replace('"', '\\"')
            yield next((number for number, line in enumerate(lines, 1) if first in line), 1), text


def literals(source, pattern):
    """Literals with at least three words. Their neighbours with only blanks between them are one text."""
    texts, end = [], None
    for match in pattern.finditer(source):
        found = next((group for group in match.groups()[-3:] if group), None)
        if found is None or (
            pattern is WEB and match[3] and re.search(r"[;=&|\[\]]|\w\(|\*/", found)
        ):  # > and < of code
            continue
        joined = end is not None and source[end : match.start()].strip() == "" and pattern is CPP
        if joined:
            texts[-1][1] += found
        else:
            texts.append([source.count("\n", 0, match.start()) + 1, found])
        end = match.end()
    for line, text in texts:
        text = text.replace("\\n", "\n").replace('\\"', '"')
        if len([word for word in text.split() if WORD.search(word)]) >= 3:
            yield line, text


def of_python(source):
    """Docstrings without their examples, and other texts with at least three words."""
    tree = ast.parse(source)
    parts = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            parts |= {id(part) for part in node.values}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in parts:
            text = re.sub(r"^\s*(>>>|\.\.\. ).*\n(?:[^\n]*\S[^\n]*\n)*", "", node.value, flags=re.M)
        else:
            continue
        if len([word for word in text.split() if WORD.search(word)]) >= 3:
            yield node.lineno, text


def of_document(source):
    """Paragraphs, items and cells of Markdown."""
    paragraph, start, code = [], 0, False
    source = TABLE.sub(lambda match: "\n" * match[0].count("\n"), source)
    for number, line in enumerate([*source.splitlines(), ""], 1):
        if line.lstrip().startswith("```"):
            code, line = not code, ""
        cell_row, item = line.startswith("|"), re.match(r"\s*([-*]|\d+\.|#+)\s", line)
        if paragraph and (not line.strip() or cell_row or item):
            yield start, " ".join(paragraph)
            paragraph = []
        if code or not line.strip() or line.startswith("<!--"):
            continue
        if cell_row:
            for cell in line.strip("|").split("|"):
                if " " in cell.strip():
                    yield number, cell.strip()
            continue
        if not paragraph:
            start = number
        paragraph.append(re.sub(r"^\s*([-*]|\d+\.|#+)\s+", "", line.strip()))


def texts_of(path):
    source, name = path.read_text(), path.relative_to(HERE).as_posix()
    if name.startswith("experiments/"):
        return "claims", of_experiment(source)
    if path.suffix == ".py":
        return "docstrings", of_python(source)
    if path.suffix == ".md":
        return "docs", of_document(source)
    if name.startswith("web/"):
        return "page", literals(source, WEB)
    return ("help" if name.startswith("apps/cli") else "errors"), literals(source, CPP)


def files():
    patterns = [
        "experiments/*.toml",
        "apps/cli/*.cpp",
        "apps/cli/*.h",
        "fovea/**/*.cpp",
        "fovea/**/*.h",
        "fovea/**/*.inc",
        "python/src/*.cpp",
    ]
    patterns += ["python/fovea/**/*.py", "web/src/**/*.ts", "web/src/**/*.tsx", "*.md", "docs/**/*.md"]
    found = {path for pattern in patterns for path in HERE.glob(pattern)}
    return sorted(path for path in found if GENERATED not in path.read_text()[:400])


# Findings


def sentences(text):
    """Sentences, each up to a full stop, a question mark or a blank line."""
    for part in re.split(r"\n\s*\n|\n(?=\s*[-*] |  )", text):
        yield from re.split(r"(?<=[.?!])[)\"']*\s+(?=[A-Z0-9`\"'(])", part)


def findings(path, rules, lengths):
    """Each line that breaks a rule, as (rule, line, text)."""
    kind, texts = texts_of(path)
    lines = path.read_text().splitlines()
    for line, text in texts:
        near = " ".join(lines[max(0, line - 2) : line])
        off = set(OFF.findall(near))
        plain = CODE.sub("X", text)
        for name, pattern, kinds, _ in rules:
            if kind in kinds and name not in off:
                yield from ((name, line, match[0].strip()) for match in pattern.finditer(plain))
        if LENGTH in off:
            continue
        for sentence in sentences(plain):
            words = [word for word in sentence.split() if WORD.search(word)]
            if len(words) > lengths[kind]:
                yield LENGTH, line, f"{len(words)} words: {' '.join(words[:8])} …"


def read_allowed():
    rows = (line.split("\t") for line in ALLOWED.read_text().splitlines()) if ALLOWED.exists() else ()
    return {(file, rule): int(count) for file, rule, count in rows}


def write_allowed(counts):
    ALLOWED.write_text("".join(f"{file}\t{rule}\t{count}\n" for (file, rule), count in sorted(counts.items()) if count))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lower", action="store_true")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--list", metavar="RULE")
    parser.add_argument("--in", dest="file", metavar="FILE")
    parser.add_argument("--counts", action="store_true")
    words = parser.parse_args()
    rules, lengths = read_rules()
    remedies = {name: write for name, _, _, write in rules} | {LENGTH: "two sentences"}
    found, of_kind = collections.defaultdict(list), collections.Counter()
    for path in files():
        name = path.relative_to(HERE).as_posix()
        if words.file and name != words.file:
            continue
        for rule, line, text in findings(path, rules, lengths):
            found[name, rule].append((line, text))
            of_kind[rule, texts_of(path)[0]] += 1
    if words.list:
        for (name, rule), lines in sorted(found.items()):
            if words.list in (rule, "all"):
                for line, text in lines:
                    print(f"{name}:{line}: {rule}: {text}")
        return
    if words.counts:
        print(f"{'':24}" + "".join(f"{kind:>12}" for kind in KINDS) + f"{'all':>8}")
        for rule in remedies:
            row = [of_kind[rule, kind] for kind in KINDS]
            print(f"{rule:24}" + "".join(f"{count:12}" for count in row) + f"{sum(row):8}")
        return
    allowed = read_allowed()
    counts = {key: len(lines) for key, lines in found.items()}
    if words.lower or words.accept:
        write_allowed(
            counts if words.accept else {key: min(count, counts.get(key, 0)) for key, count in allowed.items()}
        )
        allowed = read_allowed()
    worse = {key: lines for key, lines in found.items() if len(lines) > allowed.get(key, 0)}
    for (name, rule), lines in sorted(worse.items()):
        print(f"{name}: {len(lines)} × {rule}, and {allowed.get((name, rule), 0)} are allowed. Write {remedies[rule]}:")
        for line, text in lines:
            print(f"    line {line}: {text}")
    if worse:
        sys.exit(1)


if __name__ == "__main__":
    main()
