#!/usr/bin/env python3
"""Computes the kept claims again from what their runs measured, without the program.

    scripts/recompute.py                              all of docs/results/
    scripts/recompute.py docs/results/sink.json ...   these files

A kept result has `values`: a column for each setting that differs between its runs, and for each number that a claim reads of one
run (the last value of a metric, or a function of its series). This script computes each claim's metric and verdict from these columns,
and compares them with the kept ones. It uses no code of the program, and needs Python alone.

The exit code is 1 if a value or a verdict differs. Results kept without `values` are named. Claims on agreement are computed from
arrays of attention, not from numbers of runs, and are counted as left out.
"""

import argparse
import json
import math
import operator
import pathlib
import random
import re
import statistics
import sys
from collections import defaultdict

KEPT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "results"
CLOSE = 1e-6  # kept columns have nine digits
ROUNDING = 1e-12  # a difference of two shares may be rounded to less than its threshold
NUMBER_NAMES = {"true": True, "false": False, "infinity": math.inf}
TOKEN = re.compile(r"\s*(<=|>=|!=|==|[<>=+*/(),|-]|'[^']*'|\"[^\"]*\"|[\d.]+(?:[eE][+-]?\d+)?|[A-Za-z_][\w.]*)")
SERIES = {"step_of", "step_of_rise", "first", "last", "min_over", "max_over", "mean_over", "at", "tagged"}
COUNTS = {"share", "share_low", "share_high", "count"}
COMPARISONS = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
}


# Numbers as IEEE 754 has them. A condition is True, False, or None if it is unknown.


def as_number(value):
    return math.nan if value is None or isinstance(value, str) else float(value)


def as_condition(value):
    if isinstance(value, float):
        return None if math.isnan(value) else value != 0
    return None if isinstance(value, str) else value


def divide(a, b):
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def log(x):
    return math.log(x) if x > 0 else -math.inf if x == 0 else math.nan


def extreme(choose):
    return lambda *values: math.nan if any(map(math.isnan, values)) else choose(values)


PLAIN = {
    "abs": abs,
    "log": log,
    "exp": lambda x: math.exp(x) if x < 709 else math.inf,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "min": extreme(min),
    "max": extreme(max),
}
ARITHMETIC = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": divide}


def compare(sign, a, b):
    if isinstance(a, str) or isinstance(b, str):
        alike = isinstance(a, str) and isinstance(b, str) and sign in ("=", "==", "!=")
        return COMPARISONS[sign](a, b) if alike else None
    a, b = as_number(a), as_number(b)
    return None if math.isnan(a) or math.isnan(b) else COMPARISONS[sign](a, b)


def either(a, b):
    return True if True in (a, b) else None if None in (a, b) else False


def both(a, b):
    return False if False in (a, b) else None if None in (a, b) else True


# Functions over runs


def ranks(values):
    return [(sum(y < x for y in values) + sum(y <= x for y in values) + 1) / 2 for x in values]


def rank_correlation(x, y):
    x, y = ranks(x), ranks(y)
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    xx, yy = sum((a - mean_x) ** 2 for a in x), sum((b - mean_y) ** 2 for b in y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) / math.sqrt(xx * yy) if xx and yy else math.nan


def log_slope(x, y):
    if math.inf in y:
        return math.inf
    x, y = list(map(log, x)), list(map(log, y))
    mean = statistics.fmean(x)
    return divide(sum((a - mean) * b for a, b in zip(x, y)), sum((a - mean) ** 2 for a in x) or math.nan)


def quantile(values, share):
    values = sorted(x for x in values if not math.isnan(x))
    place = share * (len(values) - 1)
    low, high = values[int(place)], values[math.ceil(place)]
    return low if low == high or place == int(place) else low + (place - int(place)) * (high - low)


def share(name, held):
    """A share of runs, or an end of Wilson's interval."""
    count, n, z = sum(held), len(held), statistics.NormalDist().inv_cdf(0.975)
    half = z * math.sqrt(count / n * (1 - count / n) / n + z * z / (4 * n * n))
    middle, shrink = count / n + z * z / (2 * n), 1 + z * z / n
    low, high = (0 if count == 0 else (middle - half) / shrink), (1 if count == n else (middle + half) / shrink)
    return {"share": count / n, "share_low": low, "share_high": high}[name]


OVER_RUNS = {
    "median": lambda x: quantile(x, 0.5),
    "mean": statistics.fmean,
    "least": min,
    "most": max,
    "deviation": lambda x: statistics.stdev(x) if len(x) > 1 else math.nan,
    "rank_correlation": rank_correlation,
    "log_slope": log_slope,
}


def aggregate(name, arguments, condition, runs):
    runs = [run for run in runs if condition is None or as_condition(condition(run, [])) is True]
    if name in COUNTS:
        held = [as_condition(arguments[0](run, [])) is True for run in runs]
        return float(sum(held)) if name == "count" else share(name, held) if runs else math.nan
    columns = [[as_number(argument(run, [])) for run in runs] for argument in arguments]
    if not runs or any(math.isnan(x) for column in columns for x in column):
        return math.nan
    if name == "median_rank_correlation":
        settings = defaultdict(list)
        for run, *pair in zip(runs, *columns):
            settings[run["setting"]].append(pair)
        medians = [[quantile(column, 0.5) for column in zip(*pairs)] for pairs in settings.values()]
        return rank_correlation(*zip(*medians))
    return OVER_RUNS[name](*columns)


class Metric:
    """An expression of a claim, as a function of the values of runs."""

    def __init__(self, text):
        self.text, self.at = text, 0
        self.value = self.disjunction()
        if self.text[self.at :].strip():
            raise ValueError(f"'{text}' is read up to column {self.at}")

    def __call__(self, runs):
        return as_number(self.value(runs[0] if len(runs) == 1 else None, runs))

    def peek(self):
        found = TOKEN.match(self.text, self.at)
        return found[1] if found else ""

    def take(self, *tokens):
        """The next token if it is one of these, or whatever it is if none is named."""
        found = TOKEN.match(self.text, self.at)
        if not found or (tokens and found[1] not in tokens):
            return None
        self.at = found.end()
        return found[1]

    def need(self, token):
        if not self.take(token):
            raise ValueError(f"'{self.text}' lacks '{token}' in column {self.at}")

    def chain(self, part, tokens, join):
        left = part()
        while sign := self.take(*tokens):
            left = self.joined(join, sign, left, part())
        return left

    @staticmethod
    def joined(join, sign, left, right):
        return lambda run, runs: join(sign, left(run, runs), right(run, runs))

    def disjunction(self):
        return self.chain(self.conjunction, ["or"], lambda _, a, b: either(as_condition(a), as_condition(b)))

    def conjunction(self):
        return self.chain(self.negation, ["and"], lambda _, a, b: both(as_condition(a), as_condition(b)))

    def negation(self):
        if not self.take("not"):
            return self.comparison()
        inner = self.negation()
        return lambda run, runs: {True: False, False: True, None: None}[as_condition(inner(run, runs))]

    def comparison(self):
        left = self.sum()
        sign = self.take(*COMPARISONS)
        return self.joined(compare, sign, left, self.sum()) if sign else left

    def calculate(self, sign, a, b):
        return ARITHMETIC[sign](as_number(a), as_number(b))

    def sum(self):
        return self.chain(self.product, ["+", "-"], self.calculate)

    def product(self):
        return self.chain(self.factor, ["*", "/"], self.calculate)

    def factor(self):
        if self.take("-"):
            inner = self.factor()
            return lambda run, runs: -as_number(inner(run, runs))
        if self.take("("):
            inner = self.disjunction()
            self.need(")")
            return inner
        begin = self.at + len(self.text[self.at :]) - len(self.text[self.at :].lstrip())
        token = self.take() or " "
        if token[0] in "'\"":
            return lambda run, runs: token[1:-1]
        if token[0] in "0123456789." or token in NUMBER_NAMES:
            number = NUMBER_NAMES[token] if token in NUMBER_NAMES else float(token)
            return lambda run, runs: number
        if not token[0].isalpha():
            raise ValueError(f"'{self.text}' lacks a value in column {self.at}")
        return self.call(token, begin) if self.peek() == "(" else self.read(token)

    @staticmethod
    def read(name):
        return lambda run, runs: math.nan if run is None else run[name]

    def call(self, name, begin):
        self.need("(")
        arguments, condition = [self.disjunction()], None
        while self.take(","):
            arguments.append(self.disjunction())
        if self.take("|"):
            condition = self.disjunction()
        self.need(")")
        if name in SERIES:
            return self.read(self.text[begin : self.at])
        if name in PLAIN:
            return lambda run, runs: PLAIN[name](*(as_number(one(run, runs)) for one in arguments))
        return lambda run, runs: aggregate(name, arguments, condition, runs)


# Claims


def runs_of(values):
    """Of each run what it measured, by name. A column of equal values is kept as one value."""
    columns = {**values["settings"], **values["numbers"]}
    count = len(values["settings"]["seed"])
    whole = {name: column if isinstance(column, list) else [column] * count for name, column in columns.items()}
    runs = [{name: read_value(column[i]) for name, column in whole.items()} for i in range(count)]
    for run in runs:
        run["setting"] = json.dumps([run[name] for name in values["settings"] if name != "seed"], default=str)
    return runs


def read_value(value):
    """JSON has no infinity and no NaN."""
    if value is None:
        return math.nan
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    return float(value) if value in ("infinity", "-infinity") else value


def bounds(wanted):
    """(least, most) of ">= 0.5", "<= 2" or "0.9 to 1.1"."""
    sign, _, rest = wanted.partition(" ")
    if sign in (">=", "<="):
        return (float(rest), math.inf) if sign == ">=" else (-math.inf, float(rest))
    return float(sign), float(rest.removeprefix("to "))


def is_refuted(metric, runs, least, most):
    """Whether the 95 % interval of the metric is beyond the bounds. The interval is a bootstrap over seeds, with draws of its own."""
    by_seed = defaultdict(list)
    for run in runs:
        by_seed[run["seed"]].append(run)
    if len(by_seed) < 6:
        return False
    draw = random.Random(0)
    values = [
        metric([run for seed in draw.choices(list(by_seed), k=len(by_seed)) for run in by_seed[seed]])
        for _ in range(1000)
    ]
    return quantile(values, 0.975) < least or quantile(values, 0.025) > most


def verdict(claim, runs):
    """(value, whether the claim is supported) from what the runs measured."""
    if "where" in claim:
        where = Metric(claim["where"])
        runs = [run for run in runs if as_condition(where.value(run, [])) is True]
    metric = Metric(claim["metric"])
    value = metric(runs) if runs else math.nan
    least, most = bounds(claim["wanted"])
    meets = least - ROUNDING * abs(least) <= value <= most + ROUNDING * abs(most)
    if claim.get("expect") == "refuted":
        return value, not meets and is_refuted(metric, runs, least, most)
    return value, meets


def kept_value(claim):
    """A claim that is supported without a value is past every bound."""
    return read_value(claim["value"]) if claim["value"] is not None or not claim["held"] else math.inf


def same(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= CLOSE * max(1, abs(a), abs(b))


def differences(kept):
    """(the claims that are computed again, a line for each whose value or verdict differs)."""
    runs = runs_of(kept["values"])
    claims = [claim for claim in kept["claims"] if "metric" in claim]
    found = {claim.get("name", claim["claim"]): verdict(claim, runs) for claim in claims}
    lines = []
    for claim in claims:
        value, held = found[claim.get("name", claim["claim"])]
        control = claim.get("control")
        held = held and (control is None or found[control][1])
        if not same(value, kept_value(claim)) or held != claim["held"]:
            words = {True: "supported", False: "not supported"}
            lines.append(
                f"{claim.get('name', claim['claim'])}: {kept_value(claim):.9g}, {words[claim['held']]} is kept; "
                f"the runs give {value:.9g}, {words[held]}"
            )
    return claims, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=pathlib.Path, metavar="FILE", help="kept results (default: all)")
    without, failed, whole = [], 0, 0
    files = parser.parse_args().files or sorted(KEPT.glob("*.json"))
    for file in files:
        try:
            kept = json.loads(file.read_text())
        except (OSError, ValueError) as error:
            parser.error(f"{file} cannot be read: {error}. Name a file of docs/results/")
        if "claims" not in kept:
            parser.error(f"{file} is no kept result: it has no claims. Name a file of docs/results/")
        if "values" not in kept:
            without.append(file.stem)
            continue
        claims, lines = differences(kept)
        failed += len(lines)
        whole += len(claims)
        left_out = len(kept["claims"]) - len(claims)
        print(
            f"{file.stem}: {len(claims) - len(lines)} of {len(claims)} claims are the same from {kept['runs']} runs",
            end="",
        )
        print(f"; {left_out} on agreement left out" if left_out else "")
        for line in lines:
            print(f"    {line}")
    print(
        f"{whole - failed} of {whole} claims are the same. {len(files) - len(without)} of {len(files)} files have values of runs."
    )
    if without:
        print(f"No values of runs are kept of: {', '.join(without)}. Run the full forms again to keep them.")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
