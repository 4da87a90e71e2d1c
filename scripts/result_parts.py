#!/usr/bin/env python3
"""What a kept result depends on, and which results to run again since that has changed.

    scripts/result_parts.py                names the kept results (docs/results/) of which a part is no longer what it was
    scripts/result_parts.py NAME ...       the same of these experiments
    scripts/result_parts.py --record       writes the parts into results that have none, as they were in the commit that kept them

A result's parts are hashes of sources: of the experiment's file without its texts; of its task, its model and its probes, each with all that
it includes and the files that these headers speak for; of training (loop, optimisers, random numbers); and of the language of claims.
Comments, white space and what only words errors and reads settings do not count. A part that is the same gives the same numbers; one that is
not may do so all the same.
"""

import argparse
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent.parent
KEPT = HERE / "docs" / "results"
TRAINING = re.compile(r"fovea/(lab/train/(train_loop|evaluator|intervention_set|transplant|workspace)|nn/optimizer/\w+|nn/simd/optimizer_kernels|"
                      r"nn/parameters|data/(epochs|batch|batch_rows)|base/(random|team))\.(h|cpp)")
CLAIMS = re.compile(r"fovea/(lab/query/\w+|base/statistics)\.(h|cpp)")
NO_NUMBERS = re.compile(r"fovea/(base/(error/.*|settings\.\w+|registry\.h|version\.\w+|file\.\w+|\w+\.h)|io/.*|data/(task|ladder)\.h|"
                        r"model/(model|trace|optional_queries|attention_map)\.\w+|probe/(probe\.\w+|survey\.h)|lab/record/.*)")


class Tree:
    """The files of the working tree, or of a commit."""

    def __init__(self, commit=None):
        self.commit = commit
        names = self.git("ls-tree", "-r", "--name-only", commit) if commit else self.git("ls-files", "--cached", "--others", "--exclude-standard")
        self.names = set(names.splitlines())
        self.texts = {}
        self.registered = None

    def git(self, *words):
        return subprocess.run(["git", "-C", str(HERE), *words], check=True, capture_output=True, text=True).stdout

    def read(self, name):
        if name not in self.texts:
            if self.commit:
                self.texts[name] = self.git("show", f"{self.commit}:{name}")
            else:
                self.texts[name] = (HERE / name).read_text() if (HERE / name).exists() else ""
        return self.texts[name]

    def reach(self, name):
        """The file, what it includes, and the .cpp beside each header."""
        seen, left = set(), [name]
        while left:
            one = left.pop()
            if one in seen or one not in self.names:
                continue
            seen.add(one)
            left += re.findall(r'#include "(fovea/[^"]+)"', self.read(one))
            if one.endswith(".h"):
                left.append(one[:-2] + ".cpp")
        return {one for one in seen if not NO_NUMBERS.fullmatch(one)}

    def place_of(self, kind, name):
        """The file that registers a task, a model or a probe by its name."""
        if self.registered is None:
            self.registered = {}
            pattern = re.compile(r'Register(?:<(Task|Probe)>|(Model)<\w+>)\s+\w+\(\s*"([^"]+)"')
            for file in sorted(self.names):
                if file.endswith(".cpp") and file.startswith(("fovea/data/tasks/", "fovea/model/", "fovea/probe/")):
                    for task, model, called in pattern.findall(self.read(file)):
                        self.registered[(task or model).lower(), called] = file
        return self.registered.get((kind, name))

    def hash_of(self, files):
        total = hashlib.sha256()
        for name in sorted(files):
            total.update(name.encode() + b"\0" + code_of(self.read(name)).encode() + b"\0")
        return total.hexdigest()[:12]


def code_of(text):
    """C++ without comments and white space; what stands in a text is kept."""
    pieces = re.findall(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|[^\s"/]+|/', text, re.S)
    return " ".join(piece for piece in pieces if not piece.startswith(("//", "/*")))


def names_in(spec):
    """The probes, models and tasks that an experiment's file names, in its baselines and its sweep too."""
    found = {"task": set(), "model": set(), "probe": set()}

    def look(table):
        for kind in ("task", "model"):
            if isinstance(table.get(kind), dict) and "name" in table[kind]:
                found[kind].add(table[kind]["name"])
        probe = table.get("probe", {})
        found["probe"] |= set(probe.get("names", [])) | set(probe.get("where_able", []))
        for of in ("sweep", "quick"):
            for key, values in table.get(of, {}).items():
                for kind in ("task", "model"):
                    if key.removeprefix("sweep.") == f"{kind}.name":
                        found[kind] |= set(values if isinstance(values, list) else [values])
        for other in table.get("against", []):
            look(other)

    look(spec)
    return found


def parts_of(experiment, tree):
    """{part: hash}, or None where the tree has no such experiment."""
    file = f"experiments/{experiment}.toml"
    if file not in tree.names:
        return None
    text = tree.read(file)
    spec = tomllib.loads(text)
    told = {key: value for key, value in spec.items() if key not in ("title", "idea", "system", "order", "figure")}
    for claim in told.get("claim", []):
        claim.pop("says", None)
    parts = {"experiment": hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]}
    for kind, names in names_in(spec).items():
        files = set()
        for name in names:
            if place := tree.place_of(kind, name):
                files |= tree.reach(place)
        parts[kind] = tree.hash_of(files)
    for part, files in (("training", TRAINING), ("claims", CLAIMS)):
        parts[part] = tree.hash_of(name for name in tree.names if files.fullmatch(name))
    return parts


def changed_parts(kept, now):
    if now is None:
        return ["there is no such experiment any more"]
    return [part for part in now if kept.get(part) != now[part]]


def commit_of(file):
    run = ["git", "-C", str(HERE), "log", "-1", "--format=%H", "--", str(file.relative_to(HERE))]
    return subprocess.run(run, check=True, capture_output=True, text=True).stdout.strip()


def record(files):
    trees = {}
    for file in files:
        kept = json.loads(file.read_text())
        if "parts" in kept or not (commit := commit_of(file)):
            continue
        tree = trees.setdefault(commit, Tree(commit))
        parts = parts_of(kept["experiment"], tree)
        if parts is None:
            continue
        text = file.read_text().rstrip()
        file.write_text(text[:-1].rstrip() + ",\n " + f'"parts": {json.dumps(parts)}' + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiments", nargs="*", help="experiments; none: all that are kept")
    parser.add_argument("--record", action="store_true", help="write the parts into results that have none")
    words = parser.parse_args()
    files = [file for file in sorted(KEPT.glob("*.json"))
             if not words.experiments or json.loads(file.read_text())["experiment"] in words.experiments]
    if words.record:
        record(files)
    tree = Tree()
    stale = 0
    for file in files:
        kept = json.loads(file.read_text())
        changed = changed_parts(kept["parts"], parts_of(kept["experiment"], tree)) if "parts" in kept else ["kept before its parts were"]
        if changed:
            stale += 1
            print(f"{file.stem}: {', '.join(changed)}")
    print(f"{stale} of {len(files)} kept results are to be run again" if stale else f"all {len(files)} kept results are of what is here")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()
