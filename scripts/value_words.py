"""The value of a kept claim in words: its number, how many seeds meet the condition of a share, and its statistic. For scripts/gallery.py."""

import re

from experiment_claims import is_one_part
from peer_seeds import number
from recompute import Metric, as_condition, runs_of

SHARES = {"share": "share", "share_low": "share, lower end of interval", "share_high": "share, upper end of interval"}
OF_ONE = SHARES | {
    "least": "smallest of the runs",
    "most": "largest of the runs",
    "median": "median of the runs",
    "mean": "mean of the runs",
    "deviation": "standard deviation of the runs",
    "rank_correlation": "rank correlation",
    "median_rank_correlation": "rank correlation of medians",
    "log_slope": "exponent",
}
MANY = {
    "median": "medians",
    "mean": "means",
    "deviation": "standard deviations",
    "rank_correlation": "rank correlations",
    "share": "shares",
}
STEPS = re.compile(r"(abs\()?step_of\((?!.*[/] step_of)")  # steps, or a difference of steps; no ratio
ENDS = {
    ("least", "most"): "smallest of one group − largest of another",
    ("share_low", "share_high"): "lower end of one share − upper end of another",
}


def signs(wanted):
    """A kept threshold with the signs of the pages: one number if both ends are equal."""
    least, _, most = wanted.partition(" to ")
    return f"= {least}" if least == most else wanted.replace(">=", "≥").replace("<=", "≤")


def value_text(claim):
    """JSON has no infinity: what is held and has no number is past every bound, as where a median seed never got there."""
    return "∞" if claim["value"] is None and claim["held"] else number(claim["value"])


def cut(text, signs):
    """(left, sign, right) of an expression at the last of these signs that is in no parentheses and no quotes, or None."""
    depth, found, bare = 0, None, re.sub(r"'[^']*'|\"[^\"]*\"", lambda match: "_" * len(match[0]), text)
    for at, sign in enumerate(bare):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign in signs and bare[:at].strip():
            found = at
    return found and (text[:found].strip(), text[found], text[found + 1 :].strip())


def called(text):
    """(function, its arguments) of an expression that is one call; None if it is more."""
    match = re.fullmatch(r"(\w+)\((.*)\)", text.strip(), re.S)
    return (match[1], match[2]) if match and is_one_part(text.strip()) else None


def counted(value, metric, kept):
    """(how many, of how many, "seeds" or "runs") of the share that a metric is; None if it is no share or its runs are not kept."""
    call = called(metric)
    if not call or call[0] not in SHARES:
        return None
    condition, _, where = cut(call[1], "|") or (call[1], "", "")
    if "values" not in kept:
        n = kept.get("runs")
        alone = call[0] == "share" and not where and n and n == len(kept["seeds"])
        return (round(value * n), n, "seeds") if alone else None
    runs = runs_of(kept["values"])
    chosen = [run for run in runs if not where or as_condition(Metric(where).value(run, [])) is True]
    met = sum(as_condition(Metric(condition).value(run, [])) is True for run in chosen)
    return met, len(chosen), "seeds" if len({run["seed"] for run in chosen}) == len(chosen) else "runs"


def value_in_words(claim, metric, kept):
    """The value of a kept claim with this metric, and of a share also how many seeds or runs it counts."""
    found = None if "where" in claim else counted(claim["value"], metric, kept)
    return value_text(claim) + (f" ({found[0]} of {found[1]} {found[2]})" if found and found[1] > 1 else "")


def statistic(metric):
    """How a metric joins the runs, read from its formula."""
    call = called(metric)
    if call:
        steps = call[0] in {"least", "most", "median", "mean"} and STEPS.match(call[1])
        return OF_ONE.get(call[0], "number") + (", in steps" if steps else "")
    for signs, kind in (("-", "difference"), ("/", "ratio")):
        parts = cut(metric, signs)
        if not parts:
            continue
        left, right = called(parts[0]), called(parts[2])
        if left and right and left[0] == right[0] and left[0] in MANY:
            return f"{kind} of {MANY[left[0]]}"
        if left and right and kind == "difference" and (left[0], right[0]) in ENDS:
            return ENDS[left[0], right[0]]
        return kind
    return "number"
