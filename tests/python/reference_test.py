"""The generated pages of docs/reference, docs/gallery and docs/developers are those that scripts/reference writes now."""

import re
import subprocess
import sys

from conftest import ROOT

import fovea

REMEDY = "Run build/python/bin/python scripts/reference, look at what it changed, and commit it"
MARK = "<!-- Written by scripts/reference. Do not edit. -->"


def test_every_intervention_has_a_row():
    page = (ROOT / "docs" / "reference" / "interventions.md").read_text()
    missing = [one["name"] for one in fovea.describe("interventions") if f"{{ {one['name']} = " not in page]
    assert not missing, f"add rows to docs/reference/interventions.md: {missing}"


def sections(page):
    """{name: text} of the parts that a page of the reference has."""
    text = (ROOT / "docs" / "reference" / f"{page}.md").read_text()
    return {part.split("\n", 1)[0]: part for part in re.split(r"^## ", text, flags=re.M)[1:]}


def test_every_model_has_an_equation():
    parts = sections("models")
    for one in fovea.describe("models"):
        text = re.split(r"^\| setting", parts[one["name"]], flags=re.M)[0]
        there = re.search(r" = |The equations are those of \[`([\w-]+)`\]", text)
        assert there, f"write the equations of model {one['name']} into the comment at the head of its file"
        assert " = " in parts[there[1] or one["name"]]


def test_every_model_has_its_parameters():
    parts = sections("models")
    for one in fovea.describe("models"):
        if one["name"] != "python-pooling":  # it has none
            assert "| parameter | shape |" in parts[one["name"]], f"add {one['name']} to scripts/model_weights.toml"


def test_every_probe_has_the_names_of_its_metrics():
    parts = sections("probes")
    for one in fovea.describe("probes"):
        assert "Measures: " in parts[one["name"]], f"add the metrics of {one['name']} to docs/reference/metrics.md"


def test_every_setting_has_a_default():
    for page in ("models", "probes", "tasks", "training"):
        for name, part in sections(page).items():
            assert "| not set |" not in part, f"{page}.md: a setting of {name} has no default"


def test_every_task_has_an_example():
    parts = sections("tasks")
    for one in fovea.describe("tasks"):
        if one["name"] != "python":  # its examples are the user's
            assert re.search(r"^Example.*:\n\n```text\n.*\S", parts[one["name"]], re.M), one["name"]


def test_every_metric_has_a_definition_a_range_and_a_null():
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    tables = re.findall(r"^\| probe \| metric \|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.M)
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for table in tables for row in table.splitlines()]
    assert len(rows) > 150
    assert not [row for row in rows if len(row) != 5 or not all(row[1:])]


def test_a_row_of_metrics_has_one_metric():
    page = (ROOT / "docs" / "reference" / "metrics.md").read_text()
    rows = [row.split(" | ") for row in page.splitlines() if row.startswith("| ") and row.count(" | ") == 4]
    metrics = [row for row in rows if not row[1].startswith("array")]
    assert len(metrics) > 150
    assert not [row[1] for row in metrics if row[1].count("`") > 2]
    assert not [row[1] for row in rows if re.search(r"\bas for\b", " ".join(row))]


def test_generated_pages_are_those_of_today(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "scripts" / "reference", tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    now = {file.relative_to(tmp_path): file.read_text() for file in tmp_path.rglob("*.md")}
    assert len(now) > 80
    kept = {
        file.relative_to(ROOT / "docs"): file.read_text()
        for kind in ("reference", "gallery", "developers")
        for file in (ROOT / "docs" / kind).glob("*.md")
        if MARK in file.read_text()
    }
    changed = sorted(str(path) for path in now.keys() | kept.keys() if now.get(path) != kept.get(path))
    assert not changed, f"{', '.join(changed)}: {REMEDY}"
