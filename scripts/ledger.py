#!/usr/bin/env python3
"""The ledger: when each claim of experiments/*.toml was stated, and whether that was before its experiment's first kept result.

    scripts/ledger.py            writes docs/results/ledger.jsonl from the history of git, and the counts into README.md
    scripts/ledger.py --check    fails if the ledger, or a count that a document prints, is not that of the claims
    scripts/ledger.py --fresh FULL.json...   adds what `fovea reproduce NAME --full --set sweep.seed=100..119 --json` printed

A claim is its experiment, metric, filter (`where`) and bounds, with named quantities put in. It was stated in the commit that last added it in this form: a changed
metric or bound is a new statement, a changed text is not. If the task, the model, the training or the sweep of the full form changed
later, the claim was stated with that change (`settings`). A result is kept when docs/results/ (before that, the table of claims in
docs/results.md) first has the experiment's full form.

    confirmatory    made of the full form, and stated before that result
    exploratory     stated with that result or after it, or made of the quick form alone, whose results are not kept
    open            made of a full form that has no kept result

Times are those at which commits were written, so that a rebase changes nothing; of what is not committed yet, now, with no commit until
the script is run again. A run whose result was not kept is not seen.
`formerly` of an entry, written by hand, lists metrics that computed the same number before a rename; the claim is then as old as they are.
`fresh` is a claim of the full form on seeds that no earlier run used: {"seeds", "value", "held", "commit"}, with the last
commit before it was added. It is written once, by --fresh, and stays next to the kept value.

Without the history (a source archive, a shallow clone) --check compares the claims alone.
"""

import argparse
import datetime
import functools
import json
import pathlib
import re
import subprocess
import sys
import time

import fresh_seeds
import tomllib
from experiment_claims import read_experiment

HERE = pathlib.Path(__file__).resolve().parent.parent
LEDGER = HERE / "docs" / "results" / "ledger.jsonl"
SETTINGS = ["task", "model", "train", "sweep", "intervene", "stage", "against"]
NO_NUMBER = ["train.threads", "train.keep_weights"]  # settings that change no number
RENAMED = re.compile(r'^RENAMED\(metric, "(\w+)", "(\w+)"\)$', re.M)
OLD_NAMES = dict(RENAMED.findall((HERE / "fovea" / "base" / "old_names.inc").read_text()))
OLD_NAME = re.compile(rf"(?<![\w.'])({'|'.join(OLD_NAMES)})(?=(?:_l\d+(?:_h\d+)?)?(?:_held)?(?![\w.]))")
KEY = ["experiment", "form", "metric", "where", "at_least", "at_most"]
PAGES = [HERE / "README.md", HERE / "docs" / "reference" / "results.md"]
MARKS = re.compile(r"(<!-- ledger -->\n).*?(<!-- end of ledger -->)", re.S)
OUTCOME = ["value", "infinite", "held"]
REMEDY = "Run scripts/ledger.py, look at what it changed, and commit docs/results/ledger.jsonl"
STARTED = time.time()  # one time for all that is not committed: claims and results of it are equally old


def number(bound):
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def names_of_today(text):
    """The text with today's names of metrics: a renamed metric makes no new claim."""
    return OLD_NAME.sub(lambda match: OLD_NAMES[match[1]], text)


def key_of(experiment, claim, metric=None):
    return (
        experiment,
        "quick" if claim.get("form") == "quick" else "full",
        names_of_today(" ".join((metric or claim["metric"]).split())),
        names_of_today(claim["where"]) if "where" in claim else None,
        number(claim.get("at_least")),
        number(claim.get("at_most")),
    )


def claims_of(text, experiment):
    return {key_of(experiment, claim) for claim in read_experiment(text).get("claim", [])}


def claim_text(key):
    bounds = [f"{sign} {bound}" for sign, bound in zip((">=", "<="), key[4:]) if bound is not None]
    return f"'{key[2]}' {' and '.join(bounds)} of the {key[1]} form"


def shipped_claims():
    return set().union(*(claims_of(file.read_text(), file.stem) for file in (HERE / "experiments").glob("*.toml")))


# What history says


def git(*words, data=None):
    return subprocess.run(["git", "-C", str(HERE), *words], input=data, capture_output=True, check=True).stdout


def has_history(ledger):
    """Whether git has every commit that the ledger's first entries were read from."""
    oldest = min((entry["stated"] for entry in ledger if entry["stated"]), key=lambda one: one["at"], default=None)
    try:
        if oldest:
            git("cat-file", "-e", oldest["commit"])
        return git("rev-parse", "--is-shallow-repository").strip() == b"false"
    except (OSError, subprocess.CalledProcessError):
        return False


def changes(*paths):
    """Of each commit that changed files under these paths: ({"commit", "at"}, [(file, text before, text after)])."""
    commits, blobs = [], set()
    words = ("log", "--full-history", "--no-merges", "--format=@%H %at", "--raw", "--no-abbrev", "--no-renames")
    for line in git(*words, "--", *paths).decode().splitlines():
        if line.startswith("@"):
            commit, seconds = line[1:].split()
            commits.append((moment(commit[:12], int(seconds)), []))
        elif line.startswith(":"):
            before, after = line.split()[2:4]
            commits[-1][1].append((line.split("\t")[1], before, after))
            blobs |= {before, after}
    texts = texts_of(sorted(blob for blob in blobs if blob.strip("0")))
    for when, files in commits:
        yield when, [(file, texts.get(before, ""), texts.get(after, "")) for file, before, after in files]
    yield moment(None, STARTED), list(uncommitted(paths))


def moment(commit, seconds):
    return {"commit": commit, "at": f"{datetime.datetime.fromtimestamp(int(seconds), datetime.UTC):%Y-%m-%dT%H:%M:%SZ}"}


def uncommitted(paths):
    changed = git("diff", "--name-only", "-z", "HEAD", "--", *paths) + git("ls-files", "--others", "-z", "--", *paths)
    for file in filter(None, changed.decode().split("\0")):
        committed = git("ls-tree", "HEAD", "--", file)
        before = git("show", f"HEAD:{file}").decode() if committed else ""
        yield file, before, (HERE / file).read_text() if (HERE / file).exists() else ""


def texts_of(blobs):
    packed, texts = git("cat-file", "--batch", data="".join(f"{blob}\n" for blob in blobs).encode()), {}
    at = 0
    for blob in blobs:
        line = packed.index(b"\n", at)
        size = int(packed[at:line].split()[2])
        texts[blob] = packed[line + 1 : line + 1 + size].decode()
        at = line + size + 2
    return texts


def is_toml(text):
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def settings_of(experiment):
    """The settings of the full form by their dotted names, such as model.biases."""

    def dotted(name, value):
        if not isinstance(value, dict):
            yield name, value
        else:
            for key, one in value.items():
                yield from dotted(f"{name}.{key}", one)

    found = {name: value for part in SETTINGS if part in experiment for name, value in dotted(part, experiment[part])}
    return settings_today({name: value for name, value in found.items() if name not in NO_NUMBER})


def settings_today(settings):
    return json.loads(names_of_today(json.dumps(settings, default=str)))


def statements():
    """{key of a claim: when it was last added}, and {experiment: when its settings last changed}, each as {"commit", "at"}."""
    claims, settings = {}, {}
    history = list(changes("experiments"))
    # A version that is no TOML states nothing: the version after it is compared with the one before it.
    skipped = {after: before for _, files in history for _, before, after in files if not is_toml(after)}
    for when, files in history:
        for file, before, after in files:
            if after in skipped:
                continue
            before = skipped.get(before, before)
            experiment = pathlib.PurePath(file).stem
            for key in claims_of(after, experiment) - claims_of(before, experiment):
                claims.setdefault(key, []).append(when)
            if after and settings_of(tomllib.loads(after)) != settings_of(tomllib.loads(before)):
                settings.setdefault(experiment, []).append(when)
    latest = lambda found: {key: max(times, key=lambda one: one["at"]) for key, times in found.items()}
    return latest(claims), latest(settings)


def first_results():
    """{experiment: when its full form was first kept}, as {"commit", "at"}."""
    found = {}
    for when, files in changes("docs/results", "docs/results.md"):
        for file, before, after in files:
            if not after:
                continue
            if re.fullmatch(r"docs/results/.+\.json", file) and not before:
                kept = [json.loads(after)["experiment"]]
            elif file == "docs/results.md":
                table = re.search(r"<!-- claims -->(.*?)<!-- end of claims -->", after, re.S)
                kept = re.findall(r"^\| ([\w-]+)(?: on [\w-]+)? \| (?!claim)", table[1] if table else "", re.M)
            else:
                continue
            for name in kept:
                found.setdefault(name, []).append(when)
    return {name: min(times, key=lambda one: one["at"]) for name, times in found.items()}


# The ledger


def kind_of(form, stated, settings, result):
    if form == "quick":
        return "exploratory"
    if result is None:
        return "open"
    before = all(one and one["at"] < result["at"] for one in (stated, settings))
    return "confirmatory" if before else "exploratory"


def entry_key(entry):
    return key_of(entry["experiment"], entry)


def ledger_now(kept):
    """The entries of today's claims, with what was written by hand into those of before."""
    before = {entry_key(entry): entry for entry in kept}
    (said, changed), results, entries = statements(), first_results(), []
    for key in sorted(shipped_claims(), key=json.dumps):
        old = before.get(key, {})
        entry = {name: value for name, value in zip(KEY, key) if value is not None}
        same = [key, *(key_of(key[0], entry, metric) for metric in old.get("formerly", []))]
        stated = min((said[one] for one in same if one in said), key=lambda one: one["at"], default=None)
        result = results.get(entry["experiment"]) if entry["form"] == "full" else None
        settings = changed.get(entry["experiment"])
        entry |= {"kind": kind_of(entry["form"], stated, settings, result), "stated": stated}
        if stated and settings and settings["at"] > stated["at"]:
            entry["settings"] = settings
        entry["result"] = result
        entry |= {name: old[name] for name in ("formerly",) if name in old}
        entries.append(entry | {"fresh": old.get("fresh")})
    return entries


def read_ledger():
    return [json.loads(line) for line in LEDGER.read_text().splitlines()] if LEDGER.exists() else []


def ledger_text(entries):
    return "".join(json.dumps(entry, ensure_ascii=False) + "\n" for entry in entries)


@functools.cache
def by_key():
    """{key: entry} of the kept ledger."""
    return {entry_key(entry): entry for entry in read_ledger()}


def seeds_of_run(done):
    """First and last seed of a reproduction that was told its seeds by --set sweep.seed=FIRST..LAST."""
    words = next((one for one in done["set"] if one.startswith("sweep.seed=")), "")
    seeds = re.fullmatch(r"sweep\.seed=(\d+)\.\.(\d+)", words)
    if not seeds or len(done["set"]) != 1:
        sys.exit(f"--fresh takes a reproduction with --set sweep.seed=FIRST..LAST alone, not with: {done['set']}")
    return [int(seeds[1]), int(seeds[2])]


def with_fresh(entries, done, commit):
    """The ledger with what a reproduction on fresh seeds gave its claims of the full form."""
    seeds, outcomes = seeds_of_run(done), {}
    for name in {one["experiment"] for one in done["claims"]}:
        experiment = read_experiment((HERE / "experiments" / f"{name}.toml").read_text())
        own = {one["name"]: one for one in done["claims"] if one["experiment"] == name}
        first, last = fresh_seeds.seed_range(experiment.get("sweep", {}).get("seed", [0]))
        if any(one["form"] != "full" for one in own.values()) or (first <= seeds[1] and seeds[0] <= last):
            sys.exit(f"{name}: --fresh takes the full form, with seeds other than {first}..{last}")
        outcomes |= {
            key_of(name, claim): own[claim["name"]] for claim in experiment["claim"] if claim.get("name") in own
        }
    for entry in entries:
        open_to_it = entry["form"] == "full" and entry["kind"] != "open" and not entry["fresh"]
        if open_to_it and (one := outcomes.get(entry_key(entry))):
            entry["fresh"] = (
                {"seeds": seeds} | {name: one[name] for name in OUTCOME if name in one} | {"commit": commit}
            )
    return entries


def counts_text(entries):
    count = lambda kind: sum(entry["kind"] == kind for entry in entries)
    open_ones = f" {count('open')} are of experiments without a kept result." if count("open") else ""

    def tried_text(kind):
        full = [entry["fresh"] for entry in entries if entry["form"] == "full" and entry["kind"] == kind]
        tried = [fresh["held"] for fresh in full if fresh]
        held = f", and {tried.count(True)} were supported" if tried else ""
        return f"{len(tried)} of {len(full)} {kind} claims were tried{held}."

    return (
        f"{count('confirmatory')} of {len(entries)} claims are confirmatory: claim and settings are older than the first kept result.\n"
        f"{count('exploratory')} are exploratory: stated with such a result, after it, or of the quick form alone.{open_ones}\n"
        f"{fresh_seeds.tried_text(fresh_seeds.shipped())}\n"
        f"In full form on fresh seeds, {tried_text('exploratory')}\n"
        f"In full form on fresh seeds, {tried_text('confirmatory')}"
    )


def complaints():
    """What is wrong with the ledger and with the counts that documents print, a line each."""
    kept = read_ledger()
    ours, theirs = shipped_claims(), {entry_key(entry) for entry in kept}
    lines = [
        f"{key[0]}: the claim {claim_text(key)} is not in the ledger" for key in sorted(ours - theirs, key=json.dumps)
    ]
    lines += [
        f"{key[0]}: the ledger has {claim_text(key)}, which is no claim"
        for key in sorted(theirs - ours, key=json.dumps)
    ]
    if not lines and has_history(kept):
        now = {entry_key(entry): entry for entry in ledger_now(kept)}
        lines += [
            f"{entry['experiment']}: {claim_text(entry_key(entry))} is {now[entry_key(entry)]['kind']}, and {entry['kind']} in the ledger"
            for entry in kept
            if now[entry_key(entry)]["kind"] != entry["kind"]
        ]
    for page in PAGES:
        if counts_text(kept) not in page.read_text():
            lines.append(f"{page.relative_to(HERE)} does not print the counts of the ledger")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if something is not as it would be written"
    )
    parser.add_argument(
        "--fresh", nargs="+", metavar="FULL.json", help="add claims that were reproduced on fresh seeds"
    )
    words = parser.parse_args()
    if words.check and words.fresh:
        parser.error("--check writes nothing: leave out --fresh")
    if words.check:
        if lines := complaints():
            sys.exit("\n".join([*lines, f"{REMEDY}."]))
    else:
        kept = read_ledger()
        if not has_history(kept):
            sys.exit("The history of git is not here: run it in a full clone (git fetch --unshallow).")
        entries, commit = ledger_now(kept), git("rev-parse", "HEAD").decode()[:12]
        for name in words.fresh or []:
            entries = with_fresh(entries, json.loads(pathlib.Path(name).read_text()), commit)
        LEDGER.write_text(ledger_text(entries))
        for page in PAGES:
            page.write_text(MARKS.sub(lambda m: m[1] + counts_text(read_ledger()) + "\n" + m[2], page.read_text()))
    print(counts_text(read_ledger()))


if __name__ == "__main__":
    main()
