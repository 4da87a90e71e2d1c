"""A page for each experiment, from its file and its kept results: for scripts/reference."""

import pathlib

import results_page
import tomllib
from experiment_claims import begins, expanded, key_of, read_experiment
from kept_results import KEPT, answers, earlier_claim, read_kept
from peer_seeds import number, table

HERE = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = HERE / "experiments"
FIGURES = HERE / "docs" / "figures"
PLAYGROUND = {
    "toy-phase": "#/toy?bounded=no",
    "copy-subset": "#/play?task=subset",
    "copy-permutation": "#/play?task=permutation",
    "keyword-lstm": "#/play?task=keyword",
}


ADDED = "added since the run"


def cell(text):
    return text.replace("|", "\\|")


def kept_of(name):
    return [one for one in read_kept() if one["experiment"] == name]


def value_of(claim, kept, definitions):
    """What today's claim came to in the full form, and the verdict; of several corpora the first."""
    today = claim | {"metric": expanded(claim["metric"], definitions)}
    of_name = [c for one in kept for c in one["claims"] if key_of(c) == key_of(claim)]
    found = next((c for c in of_name if answers(c, today)), None)
    if found is None and of_name:
        changed = " and ".join(what_changed(of_name[0], today))
        return results_page.value_text(of_name[0]), f"{changed} changed since the run: [see below](#earlier-claims)"
    if found is None:
        return "–", "quick form only" if claim.get("form") == "quick" else ADDED if kept else "not run in full"
    if claim.get("expect") == "refuted":
        return results_page.value_text(found), "refuted" if found["held"] else "not refuted"
    return results_page.value_text(found), "supported" if found["held"] else "**not supported**"


def what_changed(kept, today):
    """In which parts a kept claim differs from today's claim of its name."""
    metric = kept.get("metric", today["metric"])
    if metric != today["metric"]:
        yield "metric"
    if not answers(kept, today | {"metric": metric}):
        yield "threshold"


def threshold(claim):
    bounds = [f"{sign} {number(claim[key])}" for key, sign in (("at_least", "≥"), ("at_most", "≤")) if key in claim]
    return " and ".join(bounds)


def claims_table(claims, kept, definitions):
    rows = []
    for claim in claims:
        value, verdict = value_of(claim, kept, definitions)
        null = claim.get("null")
        rows.append(
            [
                cell(claim.get("title") or claim["says"]),
                value,
                threshold(claim),
                f"{number(null['value']).replace('inf', '∞')}: {cell(null['means'])}" if null else "",
                verdict,
            ]
        )
    return "\n".join(table(["claim", "value", "threshold", "null", "verdict"], rows))


def earlier_claims(text, kept):
    """The kept claims that the experiment has no more, or has with another metric or threshold, and the version that ran them."""
    experiment = read_experiment(text)
    rows, metrics = [], {}
    for one in kept:
        for found in one["claims"]:
            if not results_page.still_made(found, experiment):
                earlier = earlier_claim(one["experiment"], found)
                today = next((claim for claim in experiment["claim"] if key_of(claim) == earlier["name"]), None)
                rows.append(
                    [
                        f"`{earlier['name']}`",
                        cell(earlier["title"]),
                        results_page.value_text(found),
                        found["wanted"].replace(">=", "≥").replace("<=", "≤"),
                        "supported" if found["held"] else "**not supported**",
                        " and ".join(what_changed(found, today)) if today else "replaced",
                    ]
                )
                metrics[earlier["name"]] = earlier["metric"]
    if not rows:
        return ""
    names = [results_page.name_of(one).replace(" on ", "-") for one in kept]
    files = ", ".join(f"[{name}.json](../results/{name}.json)" for name in names)
    versions = ", ".join(sorted({version for one in kept for version in one["versions"]}))
    note = f"The kept full form is of version {versions}. It was run with these claims, too. {files} has their sentences as they were run."
    heads = ["name", "claim", "value", "threshold", "verdict", "changed since"]
    measured = "\n".join(f"{name}: {metric}" for name, metric in metrics.items())
    return f"{note}\n\n" + "\n".join(table(heads, rows)) + f"\n\nTheir metrics:\n\n```text\n{measured}\n```"


def definition(claim):
    lines = [f"**{claim.get('title') or claim['says']}**"]
    if claim.get("title"):
        lines += ["", claim["says"]]
    lines += ["", "```text", claim["metric"], "```"]
    if rivals := claim.get("rivals"):
        lines += ["", "Rivals: " + ", ".join(f"{one['name']} {number(one['value'])}" for one in rivals) + "."]
    return "\n".join(lines)


def cost(kept):
    for one in kept:
        seconds = results_page.duration(one["seconds"])
        where = f" on {one['corpus']}" if "corpus" in one else ""
        runs = f"{one['runs']} runs" if one["runs"] > 1 else "one run"
        yield f"The full form{where} took {seconds} for {runs}, on one thread each ({'; '.join(one['machines'])})."


def sources(name, claims, sentences):
    cited = {text.split("]")[0].strip("[") for text in (claim.get("source", "") for claim in claims) if text}
    keys = [key_of(claim) for claim in claims]
    for sentence in sentences:
        for experiment, start in sentence.get("tests", []):
            if experiment == name and any(begins(key, start) for key in keys):
                cited |= {str(source) for source in sentence["source"]}
    return ", ".join(f"[{one}](../explanation/sources.md#source-{one})" for one in sorted(cited, key=int))


def figure(name, title):
    """The figure of the documents, else that of scripts/gallery_figures.py, of the full form if it has one."""
    if (FIGURES / f"{name}.svg").exists():
        yield f"![{title}](../figures/{name}.svg)"
        return
    for form in ("full", "quick"):
        if (HERE / "docs" / "gallery" / "figures" / f"{name}.{form}.svg").exists():
            yield f"![{title}](figures/{name}.{form}.svg)\n\nThe figure is of the {form} form."
            return


def experiment_page(name, text, sentences, page):
    experiment, kept = tomllib.loads(text), kept_of(name)
    claims, definitions = experiment.get("claim", []), experiment.get("define", {})
    parts = [experiment.get("idea", "")]
    parts += figure(name, experiment["title"])
    parts.append(f"```\nfovea reproduce {name}\nfovea reproduce {name} --full\n```")
    parts += cost(kept)
    parts += [f"<!-- playground {PLAYGROUND[name]} -->"] if name in PLAYGROUND else []
    rows = claims_table(claims, kept, definitions)
    of_earlier = earlier_claims(text, kept)
    earlier = " The full form was run with some [earlier claims](#earlier-claims)." if of_earlier else ""
    for changed in dict.fromkeys(
        results_page.settings_text(results_page.changed_settings(one, experiment)) for one in kept
    ):
        earlier += f" **The full form was run with other settings: {changed}.**" if changed else ""
    parts.append(f"## Claims\n\nValues are of the full form.{earlier}\n\n{rows}")
    if of_earlier:
        parts.append(f"## Earlier claims\n\n{of_earlier}")
    named = "\n".join(f"{key} = {metric}" for key, metric in definitions.items())
    parts.append("## How each claim is measured")
    parts += [f"```text\n{named}\n```"] if named else []
    parts += map(definition, claims)
    spec = text.split("\n[[claim]]")[0].strip()
    parts.append(
        f"## Experiment file\n\n[{name}.toml](../../experiments/{name}.toml), without its claims and figures:\n\n```toml\n{spec}\n```"
    )
    if cited := sources(name, claims, sentences):
        parts.append(f"## Sources\n\nTests sentences of {cited}.")
    return page(f"{name}: {experiment['title']}", *filter(None, parts))


def pages(page):
    """{path in docs: text}; `page` makes one of a title and parts."""
    files = {file.stem: file.read_text() for file in EXPERIMENTS.glob("*.toml")}
    tables = {name: tomllib.loads(text) for name, text in files.items()}
    order = sorted(files, key=lambda name: (tables[name]["order"], name))
    sentences = tomllib.loads((KEPT / "sentences.toml").read_text())["sentence"]
    made = {f"gallery/{name}.md": experiment_page(name, files[name], sentences, page) for name in order}
    parts = [
        "Find here every experiment that Fovea ships, by its system. Each page has the figure, the claims, the settings and the sources. Run one:",
        "```\nfovea reproduce toy-uniform\n```",
        "![p and D over training time: D leaves 0 at once, p follows](../figures/toy-uniform.svg)",
    ]
    for system in dict.fromkeys(tables[name].get("system", "") for name in order):
        of_it = [
            f"- [{name}]({name}.md): {tables[name]['title']}"
            for name in order
            if tables[name].get("system", "") == system
        ]
        parts.append(f"## {system[:1].upper()}{system[1:]}\n\n" + "\n".join(of_it))
    made["gallery/index.md"] = page("Gallery", *parts)
    return made
