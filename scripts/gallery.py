"""A page for each experiment, from its file and its kept results: for scripts/reference."""

import math
import pathlib

import results_page
import tomllib
from experiment_claims import begins, expanded, key_of, read_experiment
from gallery_captions import figure
from kept_results import KEPT, answers, duration, earlier_claim, name_of, read_kept
from peer_seeds import number, table
from systems import SYSTEMS
from value_words import statistic, value_in_words, value_text

HERE = pathlib.Path(__file__).resolve().parent.parent
EXPERIMENTS = HERE / "experiments"
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
    """What today's claim came to in the full form, and the verdict; of several corpora the least and the largest value."""
    today = claim | {"metric": expanded(claim["metric"], definitions)}
    of_name = [(c, one) for one in kept for c in one["claims"] if key_of(c) == key_of(claim)]
    found = [(c, one) for c, one in of_name if answers(c, today)]
    if not found and of_name:
        changed = " and ".join(what_changed(of_name[0][0], today))
        return value_text(of_name[0][0]), f"{changed} changed since the run: [see below](#earlier-claims)"
    if not found:
        return "–", "quick form only" if claim.get("form") == "quick" else ADDED if kept else "not run in full"
    held = sum(c["held"] for c, _ in found)
    if len(found) > 1:
        found.sort(key=lambda one: one[0]["value"])
        value = " to ".join(f"{value_text(c)} ({one['corpus']})" for c, one in (found[0], found[-1]))
        return value, f"supported on {held} of {len(found)} corpora"
    value = value_in_words(found[0][0], today["metric"], found[0][1])
    if claim.get("expect") == "refuted":
        return value, f"{'refutes' if held else 'does not refute'} {claim['source'].split(',')[0]}"
    return value, "supported" if held else "**not supported**"


def what_changed(kept, today):
    """In which parts a kept claim differs from today's claim of its name."""
    metric = kept.get("metric", today["metric"])
    if metric != today["metric"]:
        yield "metric"
    if not answers(kept, today | {"metric": metric}):
        yield "threshold"


def threshold(claim):
    if "at_least" in claim and claim["at_least"] == claim.get("at_most"):
        return f"= {number(claim['at_least'])}"
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
                statistic(expanded(claim["metric"], definitions)),
                threshold(claim),
                f"{number(null['value']).replace('inf', '∞')}: {cell(null['means'])}" if null else "",
                verdict,
            ]
        )
    return "\n".join(table(["claim", "value", "statistic", "threshold", "null", "verdict"], rows))


def rivals_table(claims, kept, definitions):
    """What each claim is compared with: the rivals of the experiment's file, and whether they meet its threshold, too."""
    heads = ["claim", "value of the claim", "compared with", "value", "threshold", "meets it"]
    rows = [
        [
            cell(claim.get("title") or claim["says"]),
            value_of(claim, kept, definitions)[0],
            cell(rival["name"]),
            number(rival["value"]),
            threshold(claim),
            "**yes**" if claim.get("at_least", -math.inf) <= rival["value"] <= claim.get("at_most", math.inf) else "no",
        ]
        for claim in claims
        for rival in claim.get("rivals", [])
    ]
    return "\n".join(table(heads, rows)) if rows else ""


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
                        value_in_words(found, earlier["metric"], one),
                        found["wanted"].replace(">=", "≥").replace("<=", "≤"),
                        "supported" if found["held"] else "**not supported**",
                        " and ".join(what_changed(found, today)) if today else "replaced",
                    ]
                )
                metrics[earlier["name"]] = earlier["metric"]
    if not rows:
        return ""
    names = [name_of(one).replace(" on ", "-") for one in kept]
    files = ", ".join(f"[{name}.json](../results/{name}.json)" for name in names)
    versions = ", ".join(sorted({version for one in kept for version in one["versions"]}))
    note = f"The kept full form is of version {versions}. It was run with these claims, too. {files} has their sentences as they were run."
    heads = ["name", "claim", "value", "threshold", "verdict", "changed since"]
    measured = "\n".join(f"{name}: {metric}" for name, metric in metrics.items())
    return f"{note}\n\n" + "\n".join(table(heads, rows)) + f"\n\nTheir metrics:\n\n```text\n{measured}\n```"


def definition(claim, kept, definitions):
    """The sentence of a claim, and its formula next to its value."""
    value, verdict = value_of(claim, kept, definitions)
    lines = [f"**{claim.get('title') or claim['says']}**"]
    if claim.get("title"):
        lines += ["", claim["says"]]
    lines += ["", "```text", claim["metric"], "```", ""]
    return "\n".join([*lines, f"Value: {value}. Threshold: {threshold(claim)}. Verdict: {verdict.replace('**', '')}."])


def agreement_claims(kept):
    """The claims on agreement of the kept corpora, a column for each. The program makes them: no experiment's file has them."""
    values = {}
    for one in kept:
        for claim in one["claims"]:
            if results_page.on_agreement(claim["claim"]):
                mark = "" if claim["held"] else " (**not supported**)"
                values.setdefault(claim["claim"].rstrip("."), {})[one["corpus"]] = value_text(claim) + mark
    corpora = [one["corpus"] for one in kept if "corpus" in one]
    rows = [[claim, *(of_it.get(corpus, "–") for corpus in corpora)] for claim, of_it in values.items()]
    return AGREEMENT + "\n\n" + "\n".join(table(["claim", *corpora], rows)) if rows else ""


def cost(kept, experiment):
    for one in kept:
        seconds = "less than 0.1 s" if one["seconds"] < 0.1 else duration(one["seconds"])
        where = f" on {one['corpus']}" if "corpus" in one else ""
        runs = f"{one['runs']} runs, on one thread each" if one["runs"] > 1 else "one run, on one thread"
        today = any(results_page.still_made(claim, experiment) for claim in one["claims"])
        yield f"{'The full form' if today else 'An earlier full form, with other claims,'}{where} took {seconds} for {runs} ({'; '.join(one['machines'])})."


def on_corpora(kept):
    """Such as ' on wnut17', if the full form was run on corpora."""
    corpora = [one["corpus"] for one in kept if "corpus" in one]
    return f" on {', '.join(corpora)}" if corpora else ""


def sources(name, claims, sentences):
    cited = {text.split("]")[0].strip("[") for text in (claim.get("source", "") for claim in claims) if text}
    keys = [key_of(claim) for claim in claims]
    for sentence in sentences:
        for experiment, start in sentence.get("tests", []):
            if experiment == name and any(begins(key, start) for key in keys):
                cited |= {str(source) for source in sentence["source"]}
    return ", ".join(f"[{one}](../reference/sources.md#source-{one})" for one in sorted(cited, key=int))


def experiment_page(name, text, sentences, page):
    experiment, kept = tomllib.loads(text), kept_of(name)
    claims, definitions = experiment.get("claim", []), experiment.get("define", {})
    parts = [experiment.get("idea", "")]
    parts += figure(name, experiment, kept)
    parts.append(f"```\nfovea reproduce {name}\nfovea reproduce {name} --full\n```")
    parts += cost(kept, read_experiment(text))
    parts += [f"<!-- playground {PLAYGROUND[name]} -->"] if name in PLAYGROUND else []
    rows = claims_table(claims, kept, definitions)
    of_earlier = earlier_claims(text, kept)
    earlier = " The full form was run with some [earlier claims](#earlier-claims)." if of_earlier else ""
    for changed in dict.fromkeys(
        results_page.settings_text(results_page.changed_settings(one, experiment)) for one in kept
    ):
        earlier += f" **The full form was run with other settings: {changed}.**" if changed else ""
    parts.append(
        f"## Claims\n\nValues are of the full form{on_corpora(kept)} ([how to read the table](index.md#how-to-use-the-gallery)).{earlier}\n\n{rows}"
    )
    if of_rivals := rivals_table(claims, kept, definitions):
        parts.append(f"## Comparisons\n\n{RIVALS}\n\n{of_rivals}")
    if of_agreement := agreement_claims(kept):
        parts.append(f"## Claims on agreement\n\n{of_agreement}")
    if of_earlier:
        parts.append(f"## Earlier claims\n\n{of_earlier}")
    named = "\n".join(f"{key} = {metric}" for key, metric in definitions.items())
    parts.append(
        "## How each claim is measured\n\nEach claim has its sentence, its formula and its value. The names in formulas are "
        "[metrics](../reference/metrics.md), settings and definitions. [Expressions](../reference/expressions.md) has the functions."
    )
    parts += [f"```text\n{named}\n```"] if named else []
    parts += [definition(claim, kept, definitions) for claim in claims]
    spec = "\n".join(
        line
        for line in text.split("\n[define]")[0].split("\n[[claim]]")[0].splitlines()
        if not line.startswith("idea = ")
    )
    parts.append(
        f"## Experiment file\n\nThe settings of [{name}.toml](../../experiments/{name}.toml), which also has the idea, definitions, claims and figures above:\n\n"
        f"```toml\n{spec.strip()}\n```"
    )
    if cited := sources(name, claims, sentences):
        parts.append(f"## Sources\n\nTests sentences of {cited}.")
    return page(f"{experiment['title']} ({name})", *filter(None, parts))


def of_full_form(name, text):
    """How many of today's claims are supported by kept results of the full form, for the list of experiments."""
    experiment, kept = read_experiment(text), kept_of(name)
    if not kept:
        return " (not run in full)"
    results = [claim for one in kept for claim in one["claims"]]
    found = [claim for claim in results if results_page.still_made(claim, experiment)]
    run, ever = {key_of(claim) for claim in found}, {key_of(claim) for claim in results}
    open_ones = [key_of(claim) for claim in results_page.of_full(experiment) if key_of(claim) not in run]
    changed = sum(key in ever for key in open_ones)
    corpora = f", {len(kept)} corpora" if len(kept) > 1 else ""
    parts = [f"{sum(claim['held'] for claim in found)} of {len(found)}{corpora}" if found else ""]
    parts += [f"{len(open_ones) - changed} {ADDED}" if len(open_ones) > changed else ""]
    parts += [f"{changed} changed since the run" if changed else ""]
    parts += [] if found else [f"{sum(claim['held'] for claim in results)} of {len(results)} earlier claims"]
    return f" ({', '.join(filter(None, parts))})"


AGREEMENT = """The program makes these claims for every corpus. 𝒜(a, b) is the share of texts, or of target words, whose largest a is among the top 5 % of b
([agreement](../reference/agreement.md)). A value is a margin, and a claim is supported if it is above 0:

```text
claims on 𝒜(a, b):   lower end of 𝒜(a, b) − largest upper end of its rivals
claim on accuracy:   lower end of (best accuracy − best accuracy of the regression) + 0.02
```

Ends are of 95 % intervals. The table has the margin of each corpus."""

RIVALS = "Some claims are compared with a simpler explanation, or with another model. If its value meets the threshold, too, the claim does not separate the two."

GUIDE = """## How to use the gallery

Begin with these five, in this order. Each takes seconds to minutes in its quick form:

| experiment | shows |
|---|---|
| [toy-uniform](toy-uniform.md) | the two stages in three numbers |
| [keyword-lstm](keyword-lstm.md) | the two stages in a network, and a claim that failed |
| [copy-permutation](copy-permutation.md) | a task whose counts do not vary, and that is learned later |
| [intervene-ktiw-first](intervene-ktiw-first.md) | an intervention whose control failed |
| [digits-even](digits-even.md) | a task that does not need attention |

Each page has the same parts:

- The *idea*, and a figure of the quick or the full form: the *quick form* is small, the *full form* has the sizes and seeds of the claims. If no figure is kept,
  the page says so.
- The *claims*, one in each row. The columns are explained below.
- *Comparisons* of claims with a simpler explanation or with another model, called *rivals* in experiment files.
- The *metric* of each claim as a formula, the settings, and the [sources](../reference/sources.md).

| column | meaning |
|---|---|
| value | what the formula of the claim gave in the full form; of a share also the seeds or runs that it counts |
| statistic | how the formula joins the runs, as *smallest of the runs* or *ratio of medians*; *in steps*: number of updates |
| threshold | the values with which the claim is supported |
| null | what the formula would give if the claim were wrong, and why |
| verdict | the [verdict](../reference/experiment-file.md#verdicts), or the reason why there is none |

- **Null.** A value near the null means: not as claimed. Most claims state an effect, and their null is its absence. Some claims state that something is absent,
  as *no gradient* in `toy-uniform`. Their null is the value if it were present. The *chance* of a [metric](../reference/metrics.md) is another number: the value of a
  model that has learned nothing.
- **Comparison.** If its value meets the threshold, too, the claim does not separate the two. For example, the claim of [digits-additive](digits-additive.md) that
  attention is more accurate is met by uniform attention, too.

In the lists below, *(3 of 4)* means: 3 of 4 results of the full form are supported. A claim counts once for each corpus. *Added since the run* counts the claims that
the kept result has not, and *changed since the run* those that it has with another metric or threshold. *Earlier claims* have been replaced."""


def pages(page):
    """{path in docs: text}; `page` makes one of a title and parts."""
    files = {file.stem: file.read_text() for file in EXPERIMENTS.glob("*.toml")}
    tables = {name: tomllib.loads(text) for name, text in files.items()}
    order = sorted(files, key=lambda name: (tables[name]["order"], name))
    sentences = tomllib.loads((KEPT / "sentences.toml").read_text())["sentence"]
    made = {f"gallery/{name}.md": experiment_page(name, files[name], sentences, page) for name in order}
    parts = [
        "Find here every experiment that Fovea ships, by its question. Run one:",
        "```\nfovea reproduce toy-uniform\n```",
        "![p and D over training time: D leaves 0 at once, p follows](../figures/toy-uniform.svg)",
        "*The first experiment. D, the difference of the class weights, leaves 0 at once. p, the attention on the key, follows.*",
        GUIDE,
    ]
    for system in dict.fromkeys(tables[name].get("system", "") for name in order):
        heading, question = SYSTEMS[system]
        of_it = [
            f"- [{name}]({name}.md): {tables[name]['title']}{of_full_form(name, files[name])}"
            for name in order
            if tables[name].get("system", "") == system
        ]
        parts.append(f"## {heading}\n\n{question}\n\n" + "\n".join(of_it))
    made["gallery/index.md"] = page("Gallery", *parts)
    return made
