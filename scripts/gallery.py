"""A page for each experiment, from its file and its kept results: for scripts/reference."""

import html
import math
import pathlib
import re

import results_page
import tomllib
from experiment_claims import begins, expanded, key_of, read_experiment
from kept_results import KEPT, answers, duration, earlier_claim, name_of, read_kept
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


OF_QUICK_FORM = {
    "digits-additive",
    "feature-free",
    "glimpse-plain",
    "pooling-learned",
    "toy-phase",
}  # in docs/figures, without a number of runs
ADDED = "added since the run"
# Systems of experiments in the order of the gallery: heading, and the question of its experiments
SYSTEMS = {
    "toy gate": (
        "Toy gate",
        "Has attention a reason to move before the class weights differ? Three numbers, solved exactly.",
    ),
    "unigram gate": (
        "Unigram gate",
        "Is this also true of fifty words? One class weight and one attention logit for each word.",
    ),
    "keyword classifier": (
        "Keyword classifier",
        "Does a network find the one word that decides a class, and what is learned first?",
    ),
    "features": ("Features", "Which entries of a vector matter? Attention weights features in place of positions."),
    "bags": ("Bags", "Is attention needed to choose an item of a bag, and is it on the deciding item?"),
    "pooling": ("Pooling", "When is attention a weighted mean of neighbours? Noisy points on a curve."),
    "copying": ("Copying", "Which is learned first, words or positions? Permutations and subsets."),
    "heads": ("Heads", "Why do several heads learn more often than one?"),
    "text": ("Text", "Are the statements on made data true of texts, translations and names?"),
    "prediction": ("Prediction", "Do the data predict which setting is learned later?"),
    "interventions": (
        "Interventions",
        "Does attention wait for words? One of the two is fixed, and the other is watched.",
    ),
    "audit": ("Audit", "How far are the assumptions of the two-stage account true in real runs?"),
    "linear-attention": (
        "Linear attention",
        "At which losses does regression in context pause, and how many tasks does it need?",
    ),
    "sparse-attention": (
        "Sparse attention",
        "How long does attention to a few positions take, and which way does it find first?",
    ),
    "transformer": ("Transformer", "Which simpler predictions does a transformer pass on its way?"),
    "plateau": ("Plateaus", "At which values does a loss stay constant, and for how long?"),
    "induction": ("Induction heads", "How many steps does a head need until it copies from the context?"),
    "sink": ("Sink", "Why does attention go to an empty position, and does a remedy remove it?"),
    "product": ("Products", "Which plateaus has a product of factors, the simplest model of a circuit?"),
    "prefetch": ("Prefetching", "Does the prediction of memory addresses need attention?"),
    "disentangled": ("Disentangled transformer", "Does the first layer find the graph that made the data?"),
    "glimpse": ("Glimpses", "Can a network learn by reward where to look?"),
}


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
        return results_page.value_text(
            found
        ), f"{'refutes' if found['held'] else 'does not refute'} {claim['source'].split(',')[0]}"
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


def rival_text(rival, claim):
    """A rival with its value, and a mark if it meets the threshold of the claim, too."""
    meets = claim.get("at_least", -math.inf) <= rival["value"] <= claim.get("at_most", math.inf)
    return f"{number(rival['value'])}: {cell(rival['name'])}{' (**meets the threshold**)' if meets else ''}"


def claims_table(claims, kept, definitions):
    rivals = any("rivals" in claim for claim in claims)
    rows = []
    for claim in claims:
        value, verdict = value_of(claim, kept, definitions)
        null = claim.get("null")
        row = [
            cell(claim.get("title") or claim["says"]),
            value,
            threshold(claim),
            f"{number(null['value']).replace('inf', '∞')}: {cell(null['means'])}" if null else "",
        ]
        row += ["; ".join(rival_text(one, claim) for one in claim.get("rivals", []))] if rivals else []
        rows.append([*row, verdict])
    heads = ["claim", "value", "threshold", "null", *(["rival"] if rivals else []), "verdict"]
    return "\n".join(table(heads, rows))


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
    names = [name_of(one).replace(" on ", "-") for one in kept]
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
    return "\n".join([*lines, "", "```text", claim["metric"], "```"])


def cost(kept, experiment):
    for one in kept:
        seconds = duration(one["seconds"])
        where = f" on {one['corpus']}" if "corpus" in one else ""
        runs = f"{one['runs']} runs" if one["runs"] > 1 else "one run"
        today = any(results_page.still_made(claim, experiment) for claim in one["claims"])
        yield f"{'The full form' if today else 'An earlier full form, with other claims,'}{where} took {seconds} for {runs}, on one thread each ({'; '.join(one['machines'])})."


def sources(name, claims, sentences):
    cited = {text.split("]")[0].strip("[") for text in (claim.get("source", "") for claim in claims) if text}
    keys = [key_of(claim) for claim in claims]
    for sentence in sentences:
        for experiment, start in sentence.get("tests", []):
            if experiment == name and any(begins(key, start) for key in keys):
                cited |= {str(source) for source in sentence["source"]}
    return ", ".join(f"[{one}](../explanation/sources.md#source-{one})" for one in sorted(cited, key=int))


def form_of(runs, experiment, kept):
    """The form that has this many runs, or nothing if both may have them."""
    full = {one["runs"] for one in kept}
    if not runs:
        return ""
    if runs not in full:
        return "quick" if full else ""
    return "full" if any(key.startswith("sweep.") for key in experiment.get("quick", {})) else ""


def rounded(value):
    """A number of a description to three digits; one with a power of ten as it is."""
    return value if "×" in value else f"{float(value.replace('−', '-')):.3g}".replace("-", "−")


def drawn(described):
    """What a figure's description says of its runs: (their number or None, the sentences of the caption)."""
    lines = re.match(r"Lines over ([\w ]+), (\d+) runs?\.\s*(.*)", described)
    if not lines:
        runs = re.search(r"(\d+) runs", described)
        shown = (
            ""
            if described.startswith(("Bars", "Curves"))
            else re.sub(r", \d+ runs(?=:)|, one for each of \d+ runs", "", described)
        )
        return int(runs[1]) if runs else None, shown
    axis = {"step": "training step", "tau": "time τ"}.get(lines[1], lines[1])
    medians = re.findall(r"(.+?): median from (\S+) to (\S+?)\.(?:\s|$)", lines[3])
    text = f"The horizontal axis is the {axis}."
    if 0 < len(medians) <= 6:
        named = []
        for label, first, last in medians:
            first, last = map(rounded, (first, last))
            named.append(f"{label}: {first} to {last}")
        text += f" Medians, from the first evaluation to the last: {'; '.join(named)}."
    return int(lines[2]), text


def caption(file, form, experiment, kept):
    """What is drawn: title and note of the experiment's figure, the number of runs, and how the curves begin and end."""
    svg = file.read_text()
    title, described = (html.unescape(re.search(rf"<{tag}[^>]*>([^<]*)", svg)[1]) for tag in ("title", "desc"))
    figures = experiment.get("figure", [{}])
    of_it = next((one for one in figures if one.get("title") == title), figures[0])
    runs, text = drawn(described)
    form = form or form_of(runs, experiment, kept)
    size = f"{runs} run{'s' * (runs > 1)}" if runs else ""
    named = f"{form} form" if form else "" if "quick" in experiment else "the same in both forms"
    size = ", ".join(filter(None, (size, named)))
    parts = [of_it.get("title", title) + ".", size and f"{size[:1].upper()}{size[1:]}.", of_it.get("note", ""), text]
    return f"*{' '.join(filter(None, parts))}*"


def alternative(file, experiment):
    """What a reader hears who does not see the figure: its title, and the quantities that are drawn."""
    svg = file.read_text()
    title = html.unescape(re.search(r"<title[^>]*>([^<]*)", svg)[1])
    figures = experiment.get("figure", [{}])
    of_it = next((one for one in figures if one.get("title") == title), figures[0])
    if described := of_it.get("description"):
        return described
    kind = {"lines": "Lines", "curve": "Points", "scatter": "Points", "bars": "Bars", "xy": "Curves"}.get(
        of_it.get("kind")
    )
    names = of_it.get("names") or []
    names = [names] if isinstance(names, str) else names
    drawn_names = f". {kind} of {', '.join(names)}" if kind and names else ""
    axis = of_it.get("x_label") or ("the training step" if of_it.get("kind") == "lines" and "x" not in of_it else "")
    over = f" over {axis}" if drawn_names and axis else ""
    return f"{of_it.get('title', title)}{drawn_names}{over}".replace("[", "(").replace("]", ")")


def figure(name, experiment, kept):
    """The figure of the documents, else that of scripts/gallery_figures.py, of the full form if it has one; and its caption."""
    places = [(FIGURES / f"{name}.svg", "../figures", "quick" if name in OF_QUICK_FORM else "")]
    places += [
        (HERE / "docs" / "gallery" / "figures" / f"{name}.{form}.svg", "figures", form) for form in ("full", "quick")
    ]
    for file, folder, form in places:
        if file.exists():
            yield f"![{alternative(file, experiment)}]({folder}/{file.name})\n\n{caption(file, form, experiment, kept)}"
            return
    if "figure" in experiment:
        yield f"No figure of this experiment is kept. `fovea reproduce {name}` writes it to `report.html`."


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
        f"## Claims\n\nValues are of the full form ([how to read the table](index.md#how-to-use-the-gallery)).{earlier}\n\n{rows}"
    )
    if of_earlier:
        parts.append(f"## Earlier claims\n\n{of_earlier}")
    named = "\n".join(f"{key} = {metric}" for key, metric in definitions.items())
    parts.append(
        "## How each claim is measured\n\nEach claim has its sentence and its formula. The names in formulas are "
        "[metrics](../reference/metrics.md), settings and definitions. [Expressions](../reference/expressions.md) has the functions."
    )
    parts += [f"```text\n{named}\n```"] if named else []
    parts += map(definition, claims)
    spec = text.split("\n[[claim]]")[0].strip()
    parts.append(
        f"## Experiment file\n\n[{name}.toml](../../experiments/{name}.toml), without its claims and figures:\n\n```toml\n{spec}\n```"
    )
    if cited := sources(name, claims, sentences):
        parts.append(f"## Sources\n\nTests sentences of {cited}.")
    return page(f"{name}: {experiment['title']}", *filter(None, parts))


def of_full_form(name, text):
    """How many of today's claims are supported by kept results of the full form, for the list of experiments."""
    experiment, kept = read_experiment(text), kept_of(name)
    found = [claim for one in kept for claim in one["claims"] if results_page.still_made(claim, experiment)]
    if not found and kept:
        earlier = [claim for one in kept for claim in one["claims"]]
        held = sum(claim["held"] for claim in earlier)
        return (
            f" (0 of {len(results_page.of_full(experiment))} run; of {len(earlier)} earlier claims, {held} supported)"
        )
    if not found:
        return " (not run in full)"
    held = sum(claim["held"] for claim in found)
    corpora = f", {len(kept)} corpora" if len(kept) > 1 else ""
    run = {key_of(claim) for claim in found}
    added = sum(key_of(claim) not in run for claim in results_page.of_full(experiment))
    return f" ({held} of {len(found)}{corpora}{f', {added} not run yet' if added else ''})"


GUIDE = """## How to use the gallery

Begin with these five, in this order. Each takes seconds to minutes in its quick form:

| experiment | shows |
|---|---|
| [toy-uniform](toy-uniform.md) | the two stages in three numbers |
| [keyword-lstm](keyword-lstm.md) | the two stages in a network, and a claim that failed |
| [copy-permutation](copy-permutation.md) | a task that is learned late because counts do not vary |
| [intervene-ktiw-first](intervene-ktiw-first.md) | an intervention whose control failed |
| [digits-even](digits-even.md) | a task that does not need attention |

Each page has the same parts:

- The *idea*, and a figure of the quick or the full form: the *quick form* is small, the *full form* has the sizes and seeds of the claims. If no figure is kept,
  the page says so.
- The *claims*, one in each row. The columns are explained below.
- The *metric* of each claim as a formula, the settings, and the [sources](../explanation/sources.md).

| column | meaning |
|---|---|
| value | what the formula of the claim gave in the full form |
| threshold | the values with which the claim is supported |
| null | what the formula would give if the claim were wrong, and why |
| rival | what the formula gives for a simpler explanation |
| verdict | the [verdict](../reference/experiment-file.md#verdicts), or the reason why there is none |

- **Null.** A value near the null means: not as claimed. Most claims state an effect, and their null is its absence. Some claims state that something is absent,
  as *no gradient* in `toy-uniform`. Their null is the value if it were present. The *chance* of a [metric](../reference/metrics.md) is another number: the value of a
  model that has learned nothing.
- **Rival.** A cell has a mark if the rival meets the threshold, too. The claim alone then does not show that the simpler explanation is wrong. For example, the
  claim of [digits-additive](digits-additive.md) that attention is more accurate is met by uniform attention, too.

In the lists below, *(3 of 4)* means: 3 of 4 results of the full form are supported. A claim counts once for each corpus. *Not run yet* counts the claims that
no kept result has. *0 of 5 run* means that the full form was run with earlier claims alone, which have been replaced."""


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
