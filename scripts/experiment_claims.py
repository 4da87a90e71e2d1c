"""The claims of experiment files, as scripts read them: named quantities of [define] are put in, as the program does.

A claim's key is its name, or its text if it has no name. Results and tables that are kept name claims by it.
"""

import re

import tomllib

WORD = re.compile(r"'[^']*'|\"[^\"]*\"|[A-Za-z0-9_.]+")
ONE_PART = re.compile(r"[A-Za-z0-9_.]+")


def expanded(text, definitions):
    """The expression without names of definitions, of which each is in parentheses if it is a part of a larger one."""

    def put(match):
        before, after = text[: match.start()].rstrip(" \t\n")[-1:], text[match.end() :].lstrip(" \t\n")[:1]
        if match[0] not in definitions or after == "(":
            return match[0]
        whole = expanded(definitions[match[0]], definitions)
        alone = before in ("", "(", ",", "|") and after in ("", ")", ",", "|")
        return whole if alone or is_one_part(whole) else f"({whole})"

    return WORD.sub(put, text)


def is_one_part(text):
    """Whether no sign beside the expression can change what it means: a name, a number or one call."""
    first = ONE_PART.match(text)
    if not first or first.end() == len(text):
        return bool(first)
    if text[first.end()] != "(":
        return False
    depth, bare = 0, re.sub(r"'[^']*'|\"[^\"]*\"", lambda match: "_" * len(match[0]), text)
    for at, sign in enumerate(bare):
        depth += (sign == "(") - (sign == ")")
        if sign == ")" and depth == 0:
            return at + 1 == len(text)
    return False


def read_experiment(text):
    """The file as a table, its claims without names of definitions."""
    experiment = tomllib.loads(text)
    for claim in experiment.get("claim", []):
        for part in ("metric", "where"):
            if part in claim:
                claim[part] = expanded(claim[part], experiment.get("define", {}))
    return experiment


def key_of(claim):
    """Of a claim of a file, of the program's JSON, or of a kept result."""
    return claim.get("name") or claim.get("says") or claim["claim"]


def begins(key, start):
    """Whether this is the claim that is meant: by its name, or by how its text begins."""
    return key == start or (" " in key and key.startswith(start))
