"""The table that a person reads."""

import statistics


def middle(values):
    return statistics.median(values)


def best_peer(row):
    """The peer that is fastest by its median; None where there is none. Peers in single precision on the processor come first."""
    peers = [name for name in row["rates"] if name != "fovea"]
    peers = [name for name in peers if not name.endswith(("-medium", "-cuda"))] or peers
    return max(peers, key=lambda name: middle(row["rates"][name]), default=None)


def ratios(row, peer, rates="rates"):
    """Ours over theirs, round by round."""
    return [ours / theirs for ours, theirs in zip(row[rates]["fovea"], row[rates][peer])]


def summary(row):
    """What a row comes to, as it is kept in the JSON beside the raw rates."""
    peer = best_peer(row)
    result = {"best_peer": peer}
    if peer:
        r = ratios(row, peer)
        result["ratio"] = {"least": min(r), "median": middle(r), "most": max(r)}
        if "processor_rates" in row:  # says the same on a quiet machine, and something on a busy one
            result["ratio_by_processor_time"] = middle(ratios(row, peer, "processor_rates"))
        if row.get("wanted"):
            result["reached"] = middle(r) >= row["wanted"]
    if "share_of_products" in row:
        result["share_of_products"] = middle(row["share_of_products"])
    return result


def number(x):
    return f"{x:.3g}" if x < 1000 else f"{x:,.0f}"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "|".join(" --- " for _ in heads) + "|"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def rates_table(rows):
    lines = []
    for row in rows:
        s = row["summary"]
        peer, unit = s["best_peer"], row.get("unit", "steps/s")
        ratio = s.get("ratio")
        memory = row.get("peak_memory_bytes", {})
        lines.append(
            [
                row["system"] + "".join(f" {setting}" for setting in row.get("settings", [])),
                str(row["threads"]),
                f"{number(middle(row['rates']['fovea']))} {unit}",
                f"{peer}, {number(middle(row['rates'][peer]))}" if peer else "",
                f"{ratio['median']:.2f} ({ratio['least']:.2f} to {ratio['most']:.2f})" if ratio else "",
                f"{s['ratio_by_processor_time']:.2f}" if "ratio_by_processor_time" in s else "",
                (f"{row['wanted']:g}" + ("" if s.get("reached") else " ✗")) if row.get("wanted") else "",
                f"{100 * s['share_of_products']:.0f} %" if "share_of_products" in s else "",
                f"{memory['fovea'] / 1e6:.0f}" if "fovea" in memory else "",
                f"{memory[peer] / 1e6:.0f}" if peer in memory else "",
            ]
        )
    return table(
        [
            "system",
            "threads",
            "Fovea",
            "fastest peer",
            "ratio: median (least to most)",
            "by processor time",
            "wanted",
            "of best products",
            "our MB",
            "its MB",
        ],
        lines,
    )


def all_peers_table(rows):
    names = sorted({name for row in rows for name in row["rates"]} - {"fovea"})
    lines = []
    for row in rows:
        cells = [f"{number(middle(row['rates'][n]))}" if n in row["rates"] else "" for n in names]
        lines.append([row["system"], str(row["threads"]), number(middle(row["rates"]["fovea"])), *cells])
    return table(["system", "threads", "fovea", *names], lines)


def others_table(others):
    lines = []
    for other in others:
        for name, values in other["values"].items():
            wanted = other.get("wanted", {}).get(name)
            missed = wanted is not None and middle(values) >= wanted
            lines.append(
                [
                    f"{other['what']}: {name}" if other["what"] not in name else name,
                    f"{number(middle(values))} {other['unit']} ({number(min(values))} to {number(max(values))})",
                    "" if wanted is None else f"< {wanted}{' ✗' if missed else ''}",
                ]
            )
    return table(["what", "median (least to most)", "wanted"], lines)


def errors_table(rows):
    lines = [
        [
            row["system"],
            name,
            f"{about['errors']['loss']:.1e}",
            f"{about['errors']['gradient']:.1e}",
            f"{about['errors']['course']:.1e}",
        ]
        for row in rows
        for name, about in row.get("peers", {}).items()
        if "errors" in about
    ]
    return table(["system", "peer", "loss", "gradient", "losses over three updates"], lines)


def page(results):
    parts = [
        f"# Fovea beside its peers\n\n{results['machine']}. Fovea {results['version']}; "
        + ", ".join(f"{name} {version}" for name, version in results["versions"].items())
        + f". {results['rounds']} rounds, by turns, {results['seconds']:g} s each; load when it began {results['load_before']}, "
        f"when it ended {results['load_after']}.\n"
    ]
    rows, others = results["rows"], results["others"]
    if rows:
        parts.append(rates_table(rows))
        parts.append("\nEvery peer, by its median:\n\n" + all_peers_table(rows))
    if any("errors" in about for row in rows for about in row.get("peers", {}).values()):
        parts.append(
            "\nHow far peers are from what Fovea computes, relative, before they are timed:\n\n" + errors_table(rows)
        )
    if others:
        parts.append("\n" + others_table(others))
    return "\n".join(parts) + "\n"
