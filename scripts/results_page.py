#!/usr/bin/env python3
"""Keeps what the program printed of an experiment's full form, and writes the tables of its pages from all that is kept.

    fovea reproduce NAME --full --json > full.json
    fovea runs --json --limit -1 > runs.json
    fovea export --where 'experiment = "NAME"' -o series.csv                    (of copy-permutation, which trains subsets, too)
    scripts/results_page.py full.json --runs runs.json [--series series.csv]     keeps them in docs/results/, and writes the pages

Without arguments it writes the pages again: each table between two marks (<!-- NAME --> and <!-- end of NAME -->).
"""

import argparse
import functools
import json
import pathlib
import re
import sys

import fresh_seeds
import ledger
import tomllib
from agreement_tables import agreement_tables, runs_table
from entity_table import entity_table
from experiment_claims import begins, key_of
from kept_results import KEPT, answers, earlier_claim, keep, name_of, read_kept
from peer_seeds import peer_table, table
from systems import SYSTEMS
from value_words import signs, statistic, value_in_words, value_text
from verdict_counts import counts_of_verdicts

HERE = pathlib.Path(__file__).resolve().parent.parent
OTHER_SETTINGS = "with other settings than today's"
PAGES = {
    HERE / "docs" / "reference" / "results.md": ["missing", "claims", "fresh"],
    HERE / "docs" / "reference" / "results-runs.md": ["runs"],
    HERE / "docs" / "reference" / "results-on-texts.md": ["agreement", "entities"],
    HERE / "docs" / "reference" / "results-compared.md": ["peer"],
    HERE / "docs" / "reference" / "sentences.md": ["sentences"],
    HERE / "docs" / "reference" / "failed-claims.md": ["failed"],
    HERE / "docs" / "explanation" / "not-supported.md": ["failed_count"],
    HERE / "docs" / "explanation" / "findings.md": ["findings"],
}


def of_full(experiment):
    return [claim for claim in experiment.get("claim", []) if claim.get("form") != "quick"]


@functools.cache
def of_measures():
    """Claims on agreement stand in no experiment's file: patterns of their texts, as the program writes them."""
    source = read(HERE / "fovea" / "lab" / "analysis" / "measurement.cpp")
    texts = re.findall(r'claim\(\s*(?:fmt::format\()?((?:"[^"]+"\s*)+)', source)
    whole = ["".join(re.findall(r'"([^"]+)"', text)) for text in texts]
    return [re.compile(".+?".join(map(re.escape, text.split("{}")))) for text in whole]


def on_agreement(sentence):
    return any(pattern.fullmatch(sentence) for pattern in of_measures())


def shipped_claim(kept, experiment):
    """The claim of the experiment's file that a kept one answers, or None."""
    made = of_full(experiment) if "name" in kept else experiment.get("claim", [])
    return next((claim for claim in made if key_of(claim) == key_of(kept) and answers(kept, claim)), None)


def changed_settings(kept, experiment):
    """{name of a setting: (its value when the result was kept, its value today)} of those that differ; None is not set."""
    now = ledger.settings_of(experiment)
    then = ledger.settings_today(kept.get("spec", now))
    return {name: (then.get(name), now.get(name)) for name in sorted({*then, *now}) if then.get(name) != now.get(name)}


def settings_text(changed):
    """Such as `model.biases` (not set then, true now); of lists and long texts the name alone."""

    def text(name, values):
        if any(isinstance(value, list) or len(str(value)) > 20 for value in values):
            return f"`{name}`"
        then, now = ("not set" if value is None else json.dumps(value) for value in values)
        return f"`{name}` ({then} then, {now} now)"

    return ", ".join(text(name, values) for name, values in changed.items())


def still_made(kept, experiment):
    return shipped_claim(kept, experiment) is not None or ("against" in experiment and on_agreement(kept["claim"]))


def title_of(kept, claim, experiment):
    """The title of a kept claim: today's, or that of docs/results/earlier.toml. A claim on agreement has a sentence alone."""
    if not still_made(claim, experiment):
        return earlier_claim(kept["experiment"], claim)["title"]
    return (shipped_claim(claim, experiment) or {}).get("title") or claim["claim"]


def otherwise(experiment, key, broken):
    """The claim's value after its premise is broken in the quick form, or that no such break was found."""
    for entry in broken:
        if entry["experiment"] == experiment and entry["claim"] == key:
            if not entry["value"]:
                return "none found"
            if entry["value"] == "never reached, or of no run":
                return f"{entry['change']}: not defined, no run reaches it"
            return f"{entry['change']}: {entry['value']}"
    return ""


def kind_of(name, claim):
    """Whether a full claim was stated before its experiment's first kept result, and its value on fresh seeds, as the ledger has them."""
    entry = ledger.by_key().get(ledger.key_of(name, claim)) if claim and claim.get("form") != "quick" else None
    if not entry or not entry["fresh"]:
        return entry["kind"] if entry else ""
    first, last = entry["fresh"]["seeds"]
    return f"{entry['kind']}; seeds {first}–{last}: {value_text(entry['fresh'])}, {'' if entry['fresh']['held'] else 'not '}supported"


def statistic_of(claim, metric):
    """How the value of a kept claim joins the runs; empty if its formula is not kept, – if the formula has no name."""
    if on_agreement(claim["claim"]):
        return "margin"
    return statistic(metric).replace("number", "–") if metric else ""


def claims_table(all_kept, shipped, broken):
    rows, of_system = [], {}
    for kept in all_kept:
        experiment = shipped.get(kept["experiment"], {})
        other_settings = changed_settings(kept, experiment)
        for claim in kept["claims"]:
            now = shipped_claim(claim, experiment)
            verdict = "supported" if claim["held"] else "**not supported**"
            if (now or {}).get("expect") == "refuted":
                verdict = f"{'refutes' if claim['held'] else 'does not refute'} {now['source'].split(',')[0]}"
            if not still_made(claim, experiment):
                verdict = f"{verdict}, of a claim changed or replaced since"
            if other_settings:
                verdict = f"{verdict}, {OTHER_SETTINGS}"
            name = f" `{now['name']}`" if "name" in (now or {}) else ""
            metric = claim.get("metric") or (now or {}).get("metric", "")
            row = [
                f"[{name_of(kept)}](../gallery/{kept['experiment']}.md){name}",
                title_of(kept, claim, experiment).replace("|", "\\|"),
                value_in_words(claim, metric, kept),
                statistic_of(claim, metric),
                signs(claim["wanted"]),
                otherwise(kept["experiment"], key_of(claim), broken),
                kind_of(kept["experiment"], now),
                verdict,
            ]
            rows.append(row)
            of_system.setdefault(experiment.get("system", ""), []).append(row)
    supported = sum(row[-1].startswith(("supported", "refutes")) for row in rows)
    old = sum("replaced since" in row[-1] for row in rows)
    changed = f" Of claims that have been changed or replaced since: {old}." if old else ""
    others = sum(row[-1].endswith(OTHER_SETTINGS) for row in rows)
    changed += f" Run with settings that have been changed since: {others}." if others else ""
    lines = [f"{supported} of {len(rows)} results are supported, or refute a source as expected.{changed}"]
    heads = ["experiment, name", "claim", "value", "statistic", "threshold", "when broken", "kind", "verdict"]
    for system, of_it in of_system.items():
        lines += ["", *([f"#### {SYSTEMS[system][0]}", ""] if system in SYSTEMS else []), *table(heads, of_it)]
    return lines


def failed_list(all_kept, shipped):
    reasons = tomllib.loads((KEPT / "failures.toml").read_text())
    today, replaced = [], []
    for kept in all_kept:
        for claim in kept["claims"]:
            if claim["held"]:
                continue
            experiment = shipped.get(kept["experiment"], {})
            made = still_made(claim, experiment)
            section = "claims-on-agreement" if on_agreement(claim["claim"]) else "how-each-claim-is-measured"
            section = section if made else "earlier-claims"
            link = f"[{name_of(kept)}](../gallery/{kept['experiment']}.md#{section})"
            others = changed_settings(kept, experiment)
            metric = claim.get("metric") or (shipped_claim(claim, experiment) or {}).get("metric", "")
            value = value_in_words(claim, metric, kept)
            if made:
                title = title_of(kept, claim, experiment).rstrip(".")
                value += " †" if others else ""
                today.append([link, title, value, statistic_of(claim, metric), signs(claim["wanted"])])
            else:
                value += f"; threshold {signs(claim['wanted'])}"
                value += f"; run {OTHER_SETTINGS}" if others else ""
                replaced.append(f"- {link} ({value}): {reasons[name_of(kept).replace(' on ', '-')]['says']}")
    lines = [f"{len(today) + len(replaced)} kept claims of the full forms are not supported.", ""]
    lines += [f"{len(today)} of them are claimed today (†: run {OTHER_SETTINGS}):", ""]
    lines += table(["experiment", "claim", "value", "statistic", "threshold"], today)
    if replaced:
        have = "has" if len(replaced) == 1 else "have"
        lines += ["", f"{len(replaced)} of them {have} been changed or replaced since:", "", *replaced]
    return lines


def failed_count(all_kept):
    """How many results of claims there are, how many are not supported, and in how many experiments."""
    failed = [kept["experiment"] for kept in all_kept for claim in kept["claims"] if not claim["held"]]
    results = sum(len(kept["claims"]) for kept in all_kept)
    return [
        f"{len(failed)} of {results} results of the full forms are not supported. They are of {len(set(failed))} experiments. "
        "A claim counts once for each corpus."
    ]


def findings_table(findings, all_kept, shipped):
    """The findings of docs/results/findings.toml, each with the values of its claim over all kept results that answer it."""
    rows = []
    for count, one in enumerate(findings, 1):
        experiment = shipped[one["experiment"]]
        claim = next(claim for claim in experiment["claim"] if key_of(claim) == one["claim"])
        kept = [
            (found, changed_settings(of, experiment))
            for of in all_kept
            if of["experiment"] == one["experiment"]
            for found in of["claims"]
            if key_of(found) == one["claim"] and still_made(found, experiment)
        ]
        values = [found["value"] for found, _ in kept]
        shown = (
            " to ".join(dict.fromkeys(f"{bound:.4g}" for bound in (min(values), max(values))))
            if kept
            else "quick form only"
        )
        dagger = " †" if any(changed for _, changed in kept) else ""
        verdict = "supported" if all(found["held"] for found, _ in kept) else "**not supported**"
        bounds = [f"{sign} {claim[key]:g}" for key, sign in (("at_least", "≥"), ("at_most", "≤")) if key in claim]
        link = f"[{one['experiment']}](../gallery/{one['experiment']}.md)"
        rows.append(
            [
                str(count),
                one["heading"],
                link,
                one["measures"].replace("|", "\\|"),
                shown.replace("-", "−") + dagger,
                " and ".join(bounds).replace("-", "−"),
                verdict if kept else "–",
            ]
        )
    return table(["", "finding", "experiment", "measured", "value", "threshold", "verdict"], rows)


def other_claims(kept, experiment, broken):
    """Whether this kept result has other claims than the experiment: those of its file, and those on agreement that its quick form makes."""
    said = [key_of(claim) for claim in kept["claims"] if still_made(claim, experiment)]
    made = [key_of(claim) for claim in of_full(experiment)]
    if "against" in experiment:
        made += [
            one["claim"] for one in broken if one["experiment"] == kept["experiment"] and on_agreement(one["claim"])
        ]
    return len(said) < len(kept["claims"]) or not set(said).issuperset(made)


def missing_line(all_kept, shipped, broken):
    names = lambda chosen: ", ".join(f"`{name}`" for name in chosen)
    missing = [name for name in shipped if name not in {kept["experiment"] for kept in all_kept}]
    partly = [name_of(kept) for kept in all_kept if other_claims(kept, shipped.get(kept["experiment"], {}), broken)]
    lines = []
    if missing:
        lines.append(f"The full form of these has not been run yet: {names(missing)}.")
    if partly:
        lines.append(f"The full form of these was run before claims were added, changed or replaced: {names(partly)}.")
    others = {}
    for kept in all_kept:
        if changed := changed_settings(kept, shipped.get(kept["experiment"], {})):
            others.setdefault(settings_text(changed), []).append(name_of(kept))
    lines += [
        f"The full form of these was run with other settings than today's, {changed}: {names(kept)}."
        for changed, kept in others.items()
    ]
    return lines or ["The full form of every experiment has been run."]


def verdict_of(test, refutes, all_kept, shipped):
    """Of the claim of an experiment with this name, or whose text begins so: its kept results, over all corpora."""
    name, start = test
    experiment = shipped.get(name, {})
    said = [claim for claim in experiment.get("claim", []) if begins(key_of(claim), start)]
    kept, others = [], ""
    for one in all_kept:
        if one["experiment"] == name:
            of_claim = [c for c in one["claims"] if begins(key_of(c), start) and still_made(c, experiment)]
            kept += of_claim
            if of_claim and changed_settings(one, experiment):
                others = f", {OTHER_SETTINGS}"
    if not kept:
        if said:
            return changed_verdict(key_of(said[0]), name, all_kept)
        print(f"docs/results/sentences.toml: {name} has no claim '{start}'", file=sys.stderr)
        return "**no such claim**"
    held = sum(c["held"] for c in kept)
    if held < len(kept):
        return f"**not supported**{others}" if held == 0 else f"**supported on {held} of {len(kept)} corpora**{others}"
    if any(claim.get("expect") == "refuted" for claim in said):
        return f"the sentence is refuted{others}"
    return f"the sentence is contradicted{others}" if refutes else f"supported{others}"


def changed_verdict(key, name, all_kept):
    """Of a claim that no kept result answers: what a full form with another metric or threshold of this claim came to, if one did."""
    for one in all_kept:
        for claim in one["claims"]:
            if one["experiment"] == name and key_of(claim) == key:
                verdict = "supported" if claim["held"] else "not supported"
                return f"not run in full yet; with an earlier metric or threshold: {value_text(claim)}, {verdict}"
    return "not run in full yet"


def shown_test(test, shipped):
    """A test by the title of its claim, or by how its text begins."""
    titles = [
        claim.get("title") for claim in shipped.get(test[0], {}).get("claim", []) if begins(key_of(claim), test[1])
    ]
    return next(filter(None, titles), f"{test[1]} …")


def sentences_list(sentences, all_kept, shipped):
    """A list of the sentences, each with its sources, the claims that test it and their verdicts, after a count of verdicts."""
    lines = [""]
    for one in sentences:
        lines.append(
            f"- **{one['says']}** {' '.join(f'[{source}](sources.md#source-{source})' for source in one['source'])}"
        )
        for test in one.get("tests", []):
            verdict = verdict_of(test, one.get("refutes", False), all_kept, shipped)
            lines.append(
                f"    - {verdict}: {shown_test(test, shipped).rstrip('.')} ([{test[0]}](../gallery/{test[0]}.md))"
            )
        if not one.get("tests"):
            lines.append(f"    - **not tested**: needs {one['needs']}")
    return ["", *counts_of_verdicts(lines), *lines, ""]


def put(page, name, lines):
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.S)
    if not marks.search(page):
        raise SystemExit(
            f"no document has a place for '{name}': write <!-- {name} --> and <!-- end of {name} -->, each on a line"
        )
    return marks.sub(lambda m: m[1] + "\n".join(lines) + "\n" + m[2], page)


def read(name):
    try:
        return pathlib.Path(name).read_text()
    except OSError as error:
        raise SystemExit(f"{name} cannot be read: {error.strerror}") from error


def read_json(name):
    try:
        return json.loads(read(name))
    except json.JSONDecodeError as error:
        raise SystemExit(
            f"{name}:{error.lineno}:{error.colno}: this is not JSON ({error.msg}); print it with --json"
        ) from error


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("full", nargs="*", help="what fovea reproduce --full --json printed")
    parser.add_argument("--runs", help="what fovea runs --json --limit -1 printed")
    parser.add_argument("--series", help="what fovea export --format csv wrote")
    words = parser.parse_args()
    if words.full and not words.runs:
        parser.error("--runs FILE is needed to keep an experiment: fovea runs --json --limit -1 > FILE")
    for name in words.full:
        keep(read_json(name), read_json(words.runs), words.series)

    shipped = fresh_seeds.shipped()
    known = sorted(shipped, key=lambda name: (shipped[name]["order"], name))
    all_kept = read_kept()
    broken = [json.loads(line) for line in read(KEPT / "broken.jsonl").splitlines()]
    all_kept.sort(key=lambda kept: (known.index(kept["experiment"]), kept.get("corpus", "")))
    peers = KEPT / "pytorch-copying.jsonl"
    tables = {
        "missing": missing_line(all_kept, {name: shipped[name] for name in known}, broken),
        "claims": claims_table(all_kept, shipped, broken),
        "failed": failed_list(all_kept, shipped),
        "failed_count": failed_count(all_kept),
        "findings": findings_table(tomllib.loads(read(KEPT / "findings.toml"))["finding"], all_kept, shipped),
        "sentences": sentences_list(tomllib.loads(read(KEPT / "sentences.toml"))["sentence"], all_kept, shipped),
        "fresh": fresh_seeds.table_lines(shipped),
        "runs": runs_table(all_kept),
        "agreement": agreement_tables(all_kept),
        "entities": entity_table(all_kept),
        "peer": peer_table(all_kept, [json.loads(line) for line in read(peers).splitlines()] if peers.exists() else []),
    }
    for file, names in PAGES.items():
        page = read(file)
        for name in names:
            page = put(page, name, tables[name])
        file.write_text(page)


if __name__ == "__main__":
    main()
