"""Tables of settings for the reference: setting, default, what it takes, meaning, and the guide that uses it. For scripts/reference."""

import functools
import json
import re
import subprocess

from peer_seeds import table

# The page that shows a setting at work: by "list.part.setting", with "*" for every part.
GUIDES = {
    "settings.train.optimizer": "#updates-and-rates",
    "settings.train.schedule": "#updates-and-rates",
    "settings.train.precision": "precision.md",
    "settings.train.data_parallel": "../how-to/train-on-a-cluster.md",
    "settings.train.shards": "../how-to/train-on-a-cluster.md",
    "settings.train.engine": "../how-to/train-in-pytorch.md",
    "settings.train.device": "../how-to/train-in-pytorch.md",
    "settings.train.keep_weights": "../how-to/export-weights.md",
    "settings.train.checkpoints": "../how-to/export-weights.md#keep-weights-during-training",
    "settings.train.stop_when": "expressions.md",
    "settings.probe.keep": "arrays.md",
    "settings.probe.names": "metrics.md",
    "tasks.text-classify.corpus": "../how-to/add-data.md",
    "tasks.text-translate.corpus": "../how-to/add-data.md",
    "tasks.entities.corpus": "corpora.md#words-with-tags",
    "tasks.address-trace.corpus": "data-files.md#traces-of-memory-accesses",
    "tasks.language.file": "tasks-on-files.md#language",
    "tasks.language.corpus": "../how-to/add-data.md",
    "tasks.placed-digit.source": "corpora.md#public-corpora",
    "tasks.given-texts.texts": "page.md#your-own-texts",
    "tasks.given-points.x": "page.md#your-own-points",
    "tasks.python.key": "../how-to/own-parts.md#task",
    "probes.alignment_error.gold": "../how-to/measure-alignments.md",
    "probes.evidence.examples": "agreement.md#make-the-runs",
    "probes.entities.reach": "tasks-on-files.md#entities",
    "probes.prediction.start_spread": "prediction.md#mean-field-course-sequences",
    "interventions.hold.hold": "../how-to/hold-a-head.md",
    "interventions.ablate.ablate": "../how-to/hold-a-head.md",
    "interventions.embeddings.embeddings": "tasks-on-files.md#word-vectors",
}
DEFAULT = re.compile(r" \(default: ([^()]*)\)$|; (?:default|empty): ([^;]+)$")


def cell(text):
    parts = str(text).replace("|", "\\|").replace("\n", " ").split("`")  # every second is code, and keeps "<"
    return "`".join(part if i % 2 else part.replace("<", "&lt;") for i, part in enumerate(parts))


def kind_text(kind):
    return re.sub(r"(\d) to 1099511627776\b", r"\1 or more", kind).replace("one of: false, true", "true or false")


@functools.cache
def printed(program, what):
    """{(part, setting): the default that the program prints} of a list, with words for settings that may be left open."""
    done = subprocess.run([program, "list", what, "--json"], capture_output=True, text=True, check=True)
    return {
        (part["name"], one["name"]): one["default"]
        for part in json.loads(done.stdout)[what]
        for one in part.get("settings", [])
    }


def value_text(value, kind):
    """A default as Markdown; one that the program prints in words, if the setting may be left open, stays as it is."""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if not isinstance(value, str):
        return f"`{cell(value)}`"
    if kind.startswith("text") or value in kind.removeprefix("one of: ").split(", "):
        return f"`{value}`" if value in ("true", "false") else f'`"{cell(value)}"`'
    return f"`{value}`" if value.isdigit() else cell(value)


def title_of(guide):
    """The words of a link: the name of its section, or of its page."""
    path, _, section = guide.partition("#")
    return (section or path.rpartition("/")[2].removesuffix(".md")).replace("-", " ")


def row(program, what, part, setting):
    name, kind, meaning, default = (setting[key] for key in ("name", "kind", "help", "default"))
    found = DEFAULT.search(meaning) if default in (None, "", []) else None
    if found:
        meaning = meaning[: found.start()]
    words = (found[1] or found[2]) if found else ""
    words = value_text(words, kind) if words in kind.removeprefix("one of: ").split(", ") else cell(words)
    if what == "interventions" and name == part["name"] and default == "":
        shown = "required"
    elif default is None:
        shown = words or value_text(printed(program, what)[part["name"], name], kind)
        shown = f"as `{shown}`" if shown in {one["name"] for one in part["settings"]} else shown
    else:
        shown = f"{value_text(default, kind)}: {words}" if words else value_text(default, kind)
    guide = GUIDES.get(f"{what}.{part['name']}.{name}") or GUIDES.get(f"{what}.*.{name}")
    link = f" ([{title_of(guide)}]({guide}))" if guide else ""
    return [f"`{name}`", shown, cell(kind_text(kind)), cell(meaning) + link]


def settings_table(program, what, part):
    rows = [row(program, what, part, one) for one in part["settings"]]
    return "\n".join(table(["setting", "default", "takes", "meaning"], rows))
