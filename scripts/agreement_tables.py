"""Tables of docs/reference/results-runs.md and results-on-texts.md: runs of kept results, and agreement of attention with words."""

from kept_results import duration, name_of
from peer_seeds import number, table


def seeds_text(seeds):
    """0..4 where they follow each other, and 0..2, 7, 9."""
    rows = []
    for seed in seeds:
        if rows and seed == rows[-1][-1] + 1:
            rows[-1].append(seed)
        else:
            rows.append([seed])
    return ", ".join(f"{row[0]}..{row[-1]}" if len(row) > 2 else ", ".join(map(str, row)) for row in rows)


def runs_table(all_kept):
    rows = []
    for kept in all_kept:
        least, most = kept["steps"]
        rows.append(
            [
                name_of(kept),
                str(kept["runs"]),
                seeds_text(kept["seeds"]),
                str(least) if least == most else f"{least} to {most}",
                duration(kept["seconds"]),
            ]
        )
    machines, versions = (sorted({one for kept in all_kept for one in kept[of]}) for of in ("machines", "versions"))
    heads = ["experiment", "runs", "seeds", "steps each", "time of all runs"]
    return table(heads, rows) + ["", f"Machine: {'; '.join(machines)}. Version: {', '.join(versions)}."]


def agreement_tables(all_kept):
    """Of each corpus that was measured: how attention agrees with what words alone say."""
    lines = []
    for kept in all_kept:
        measures = kept.get("measures")
        if not measures:
            continue
        performance = "BLEU" if measures["performance"] == "bleu" else "accuracy"
        rows = []
        for row in measures["agreement"]:
            agreement, chance = ("{:.3f} [{:.3f}, {:.3f}]".format(*row[key]) for key in ("agreement", "chance"))
            most = "{agreement:.3f} at {step}".format(**row["most"]) if "most" in row else ""
            reach = row.get("xi")
            xi = "" if not reach else "never" if reach["step"] < 0 else "{performance:.3f} at {step}".format(**reach)
            rows.append(
                [
                    row["a"],
                    row["b"],
                    agreement,
                    chance,
                    "yes" if row["clear"] else "**no**",
                    number(row["tau"][0]),
                    number(row["rho"][0]),
                    most,
                    xi,
                ]
            )
        words = "".join(
            f" --set {change}" for change in [f"task.corpus={kept.get('corpus', '')}", *kept.get("set", [])]
        )
        lines += [
            f"### {name_of(kept)}",
            "",
            f"{measures['examples']} examples, {measures['rows']} rows; best {performance} of the reference run {measures['best']:.4g} "
            f"at step {measures['best_step']}; {measures['runs']} runs are compared, "
            f"those of word models among them. The {kept['runs']} runs of the sweep took {duration(kept['seconds'])}. "
            f"`fovea reproduce {kept['experiment']} --full{words}`",
            "",
        ]
        lines += table(["a", "b", "𝒜(a, b)", "by chance", "clear", "τ-b", "ρ", "most", "ξ(b)"], rows) + [""]
    return lines[:-1] or ["Not measured yet."]
