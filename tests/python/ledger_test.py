"""scripts/ledger.py: when claims were stated, and whether that was before their experiments' first kept results."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import experiment_claims  # noqa: E402
import ledger  # noqa: E402

EXPERIMENT = """
title = "Words"
task = {{ name = "copy", vocab = {vocab} }}
train = {{ steps = 20, threads = {threads} }}
{claims}
"""


def claim(metric, at_least, says="As said", form=None, name="early"):
    lines = ["[[claim]]", f'name = "{name}"', f'says = "{says}"', f'metric = "{metric}"', f"at_least = {at_least}"]
    return "\n".join(lines + [f'form = "{form}"'] * bool(form)) + "\n"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project of its own, whose commits are a day apart."""

    class Project:
        days = 0

        def write(self, *claims, vocab=40, threads=1):
            text = EXPERIMENT.format(vocab=vocab, threads=threads, claims="".join(claims))
            (tmp_path / "experiments" / "words.toml").write_text(text)

        def keep(self):
            (tmp_path / "docs" / "results" / "words.json").write_text(json.dumps({"experiment": "words"}))

        def commit(self):
            self.days += 1
            when = f"2026-01-{self.days:02}T12:00:00Z"
            people = {f"GIT_{who}_{what}": "x" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
            dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": "2026-02-01T12:00:00Z"}
            for words in (["add", "."], ["commit", "-q", "-m", "x"]):
                subprocess.run(["git", *words], cwd=tmp_path, check=True, env={**os.environ, **people, **dates})

        def entries(self, kept=()):
            return {entry["metric"]: entry for entry in ledger.ledger_now(kept)}

        def kinds(self, kept=()):
            return {metric: entry["kind"] for metric, entry in self.entries(kept).items()}

    for folder in ("experiments", "docs/results"):
        (tmp_path / folder).mkdir(parents=True)
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    monkeypatch.setattr(ledger, "HERE", tmp_path)
    monkeypatch.setattr(ledger, "LEDGER", tmp_path / "docs" / "results" / "ledger.jsonl")
    pages = [tmp_path / "README.md", tmp_path / "docs" / "results.md"]
    monkeypatch.setattr(ledger, "PAGES", pages)
    for page in pages:
        page.write_text("<!-- ledger -->\n<!-- end of ledger -->\n")
    return Project()


def test_the_ledger_and_the_counts_that_documents_print_are_those_of_the_claims():
    assert ledger.complaints() == []


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@needs_git
def test_a_version_that_is_no_toml_states_nothing(project):
    project.write(claim("a", 1))
    project.commit()
    stated = project.entries()["a"]["stated"]
    words = ledger.HERE / "experiments" / "words.toml"
    good = words.read_text()
    words.write_text(good + "[define]\n[define]\n")
    project.commit()
    words.write_text(good)
    project.commit()
    assert project.entries()["a"]["stated"] == stated


@needs_git
def test_a_claim_is_confirmatory_if_it_is_older_than_the_first_kept_result(project):
    project.write(claim("a", 1), claim("b", 1), claim("small", 1, form="quick"))
    project.commit()
    assert project.kinds() == {"a": "open", "b": "open", "small": "exploratory"}
    project.write(claim("a", 1, says="In other words"), claim("b", 2), claim("c", 1), threads=2)
    project.keep()
    project.commit()
    assert project.kinds() == {"a": "confirmatory", "b": "exploratory", "c": "exploratory"}, "b has another bound"
    entry = project.entries()["a"]
    assert (entry["stated"]["at"], entry["result"]["at"]) == ("2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z")
    project.write(claim("a", 1), vocab=60)
    project.commit()
    assert project.kinds() == {"a": "exploratory"}, "other settings are another claim"


@needs_git
def test_what_is_not_committed_yet_is_of_now(project):
    project.write(claim("a", 1))
    project.commit()
    project.write(claim("a", 1), claim("b", 1))
    project.keep()
    assert project.kinds() == {"a": "confirmatory", "b": "exploratory"}
    assert project.entries()["b"]["stated"]["commit"] is None


@needs_git
def test_a_renamed_metric_is_as_old_as_what_it_was_and_what_is_written_by_hand_stays(project):
    project.write(claim("a", 1))
    project.commit()
    project.keep()
    project.commit()
    project.write(claim("a_new", 1))
    project.commit()
    assert project.kinds() == {"a_new": "exploratory"}
    fresh = {"seeds": [100, 119], "value": 2, "held": True, "commit": "x"}
    kept = [{**project.entries()["a_new"], "formerly": ["a"], "fresh": fresh}]
    assert project.kinds(kept) == {"a_new": "confirmatory"}
    assert project.entries(kept)["a_new"]["fresh"] == fresh


@needs_git
def test_full_claims_take_their_outcome_on_fresh_seeds_once(project):
    project.write(claim("a", 1, name="early"), claim("small", 1, form="quick", name="quick"))
    project.commit()
    project.keep()
    project.write(
        claim("a", 1, name="early"), claim("b", 2, name="late"), claim("small", 1, form="quick", name="quick")
    )
    project.commit()
    words = {"experiment": "words", "form": "full"}
    late = words | {"name": "late", "value": 1.5, "held": False}
    done = {"set": ["sweep.seed=100..119"], "claims": [late]}
    entries = ledger.with_fresh(list(project.entries().values()), done, "commit")
    fresh = {entry["metric"]: entry["fresh"] for entry in entries}
    assert fresh == {
        "a": None,
        "b": {"seeds": [100, 119], "value": 1.5, "held": False, "commit": "commit"},
        "small": None,
    }
    again = ledger.with_fresh(entries, done | {"claims": [late | {"value": 3, "held": True}]}, "later")
    assert {entry["metric"]: entry["fresh"] for entry in again} == fresh
    entries = ledger.with_fresh(entries, done | {"claims": [late | {"name": "early", "held": True}]}, "commit")
    assert "1 of 1 exploratory claims were tried, and 0 were supported." in ledger.counts_text(entries)
    assert "1 of 1 confirmatory claims were tried, and 1 were supported." in ledger.counts_text(entries)
    for settings in ([], ["sweep.seed=100..119", "train.steps=1"]):
        with pytest.raises(SystemExit, match="sweep.seed=FIRST..LAST alone"):
            ledger.with_fresh(entries, done | {"set": settings}, "commit")
    for wrong in ({"set": ["sweep.seed=0..9"]}, {"claims": [late | {"form": "quick"}]}):
        with pytest.raises(SystemExit, match="takes the full form, with seeds other than 0..0"):
            ledger.with_fresh(entries, done | wrong, "commit")


@needs_git
def test_check_names_what_is_not_in_the_ledger_and_what_documents_do_not_print(project, monkeypatch):
    project.write(claim("a", 1))
    project.commit()
    monkeypatch.setattr("sys.argv", ["ledger.py"])
    ledger.main()
    assert ledger.complaints() == []
    project.write(claim("a", 2))
    lines = ledger.complaints()
    assert "words: the claim 'a' >= 2 of the full form is not in the ledger" in lines
    assert "words: the ledger has 'a' >= 1 of the full form, which is no claim" in lines
    project.write(claim("a", 1))
    ledger.PAGES[0].write_text("5 of 5 claims are confirmatory")
    assert ledger.complaints() == ["README.md does not print the counts of the ledger"]
    ledger.main()
    project.keep()
    assert any(
        "'a' >= 1 of the full form is confirmatory, and open in the ledger" in line for line in ledger.complaints()
    )
    monkeypatch.setattr(ledger, "has_history", lambda kept: False)
    assert ledger.complaints() == ["README.md does not print the counts of the ledger"]


# The same as in tests/lab/query/definitions_test.cpp: the program and the scripts put definitions in alike.
EXPANDED = [
    ("median(t90 | late)", "median(steps_to_90 | task.vocab = 60 and seed > 1)"),
    ("median(t90 | late and seed < 4)", "median(steps_to_90 | (task.vocab = 60 and seed > 1) and seed < 4)"),
    ("2 * slope / t90", "2 * (last(loss) - first(loss)) / steps_to_90"),
    ("2 * final", "2 * last(loss)"),
    ("share(kind = 'late')", "share(kind = 'late')"),
    ("least(ratio)", "least((last(loss) - first(loss)) / last(loss))"),
]


@pytest.mark.parametrize(("text", "wanted"), EXPANDED)
def test_definitions_are_put_into_claims(text, wanted):
    definitions = {
        "t90": "steps_to_90",
        "late": "task.vocab = 60 and seed > 1",
        "final": "last(loss)",
        "slope": "final - first(loss)",
        "ratio": "slope / final",
    }
    assert experiment_claims.expanded(text, definitions) == wanted


@needs_git
def test_a_claim_that_is_rewritten_over_definitions_keeps_its_date(project, tmp_path):
    project.write(claim("median(a | seed > 1)", 1))
    project.commit()
    project.keep()
    project.commit()
    project.write('[define]\nlate = "seed > 1"\n', claim("median(a | late)", 1))
    project.commit()
    assert project.kinds() == {"median(a | seed > 1)": "confirmatory"}
    project.write('[define]\nlate = "seed > 2"\n', claim("median(a | late)", 1))
    project.commit()
    assert project.kinds() == {"median(a | seed > 2)": "exploratory"}, "another definition is another claim"
