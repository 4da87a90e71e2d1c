"""The table of docs/reference/results-on-texts.md with the F1 of taggers of named entities."""

import statistics

from peer_seeds import table

T_975 = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262]  # Student's quantile, from 2 seeds on
WITHOUT_MODEL = {"lexicon": "first(lexicon_f1)", "most frequent tag of each word": "first(majority_f1)"}


def column(of, name, runs):
    """A column as a list; a column of equal entries is kept as one."""
    entries = of.get(name)
    return entries if isinstance(entries, list) else [entries] * runs


def tagger(model, attention, reach, features):
    if model != "linear-tagger":
        return f"`{model}`, {attention} attention"
    words = "the word alone" if reach == 0 else f"{2 * reach + 1} words"
    return f"log-linear: {words}{' with features' if features else ''}"


def percent(values):
    """The mean of an F1 over seeds, with its 95 % interval, in percent."""
    mean = 100 * statistics.fmean(values)
    if len(values) < 2:
        return f"{mean:.2f}"
    half = 100 * T_975[len(values) - 2] * statistics.stdev(values) / len(values) ** 0.5
    return f"{mean:.2f} [{mean - half:.2f}, {mean + half:.2f}]"


def entity_table(all_kept):
    rows = []
    for kept in all_kept:
        if kept["experiment"] != "entities" or "values" not in kept:
            continue
        settings, numbers, runs = kept["values"]["settings"], kept["values"]["numbers"], kept["runs"]
        parts = [
            column(settings, f"{name}", runs)
            for name in ("model.name", "model.attention", "model.reach", "task.features")
        ]
        of_tagger = {}
        for *of_run, f1 in zip(*parts, column(numbers, "entity_f1", runs)):
            of_tagger.setdefault(tagger(*of_run), []).append(f1)
        of_tagger |= {name: [column(numbers, metric, runs)[0]] for name, metric in WITHOUT_MODEL.items()}
        part = next(
            (word.removeprefix("probe.split=") for word in kept.get("set", []) if word.startswith("probe.split=")),
            "validation",
        )
        rows += [
            [kept.get("corpus", ""), part, name, str(len(values)) if len(values) > 1 else "–", percent(values)]
            for name, values in of_tagger.items()
        ]
    return (
        table(["corpus", "split", "tagger", "seeds", "F1, % (95 % interval over seeds)"], rows)
        if rows
        else ["none kept yet"]
    )
