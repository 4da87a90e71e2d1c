"""Tables of explanations that name claims agree with docs/results: verdict, value, threshold, kind and the number of seeds."""

import re
import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

import results_page
from experiment_claims import key_of, read_experiment


def verdict_rows(page):
    """The rows, {column: cell}, of each table with a column of verdicts and a column of claims."""
    header = None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None
        if cells is None or header is None:
            header = cells
        elif {"claim", "claims"} & {*header} and "verdict" in header and not line.startswith("|---"):
            yield dict(zip(header, cells))


def wrong_cells(row, kept, experiment, name):
    """Why cells of a row differ from the kept result of the claim of this name."""
    now = next((claim for claim in experiment["claim"] if key_of(claim) == name), None)
    claim = next((one for one in kept["claims"] if now and results_page.shipped_claim(one, experiment) == now), None)
    if claim is None:
        return [f"{name} has no kept result"]
    bounds = [f"{sign} {now[key]:g}" for key, sign in (("at_least", "≥"), ("at_most", "≤")) if key in now]
    right = {
        "verdict": "supported" if claim["held"] else "**not supported**",
        "threshold": " and ".join(bounds).replace("-", "−"),
        "kind": results_page.kind_of(kept["experiment"], now),
    }
    wrong = [f"{key}: {value}" for key, value in right.items() if key in row and row[key] != value]
    shown = re.search(r"-?\d+(\.(\d+))?", row["value"].replace("−", "-"))
    if not shown or round(claim["value"], len(shown[2] or "")) != float(shown[0]):
        wrong.append(f"value: {claim['value']}")
    seeds = re.search(r"(?:of|all) (\d+) seeds", row["value"])
    return wrong + ([f"seeds: {kept['seeds']}"] if seeds and int(seeds[1]) != len(kept["seeds"]) else [])


def test_every_verdict_of_an_explanation_is_its_kept_result():
    all_kept = {one["experiment"]: one for one in results_page.read_kept()}
    pages = sorted((ROOT / "docs" / "explanation").glob("*.md"))
    rows = [row for page in pages for row in verdict_rows(page.read_text())]
    assert len(rows) > 20
    for row in rows:
        text = " ".join(row.values())
        name = re.search(r"\(\.\./gallery/([\w-]+)\.md\)", text)[1]
        experiment = read_experiment((ROOT / "experiments" / f"{name}.toml").read_text())
        for claim in re.findall(r"`([\w-]+)`", row.get("claims", row.get("claim", ""))):
            assert not wrong_cells(row, all_kept[name], experiment, claim), text
