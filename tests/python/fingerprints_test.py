"""scripts/fingerprints.py: whether kept results are of today's numbers."""

import importlib.util
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("fingerprints", ROOT / "scripts" / "fingerprints.py")
fingerprints = importlib.util.module_from_spec(spec)
spec.loader.exec_module(fingerprints)


def numbers(**of):
    return {"numbers": of}


def test_another_rounding_is_the_same_number_and_another_number_is_not():
    kept = numbers(loss=0.693147, drift=1e-15, gone=1.0)
    assert fingerprints.other_numbers(kept, numbers(loss=0.693148, drift=3e-15, new=2.0)) == []
    assert fingerprints.other_numbers(kept, numbers(loss=0.695, drift=1e-15)) == ["loss"]


def test_a_program_that_trains_in_another_way_prints_another_fingerprint(tmp_path):
    settings = fingerprints.first_break("toy-uniform")
    kept = fingerprints.fingerprint_of("toy-uniform", settings, str(tmp_path))
    again = fingerprints.fingerprint_of("toy-uniform", settings, str(tmp_path / "again"))
    other = fingerprints.fingerprint_of("toy-uniform", [*settings, "train.rate=0.02"], str(tmp_path / "other"))
    assert kept == again and kept["numbers"]["D"] != 0
    assert {"D", "flow_distance"} <= set(fingerprints.other_numbers(kept, other))


def test_kept_results_are_compared_and_those_without_a_fingerprint_named(tmp_path, monkeypatch):
    monkeypatch.setattr(fingerprints, "KEPT", tmp_path)
    for name, result in {
        "a": {"fingerprint": {"set": [], **numbers(x=1.0)}},
        "b": {"fingerprint": {"set": [], **numbers(x=2.0)}},
        "c": {},
    }.items():
        (tmp_path / f"{name}.json").write_text(json.dumps({"experiment": name, **result}))
    lines = fingerprints.compared([], lambda name, settings: numbers(x=1.0))
    assert lines[0] == "TO RUN AGAIN  b: x" and lines[1].endswith(": c") and lines[2].startswith("1 of 3")
    assert fingerprints.compared(["a"], lambda name, settings: numbers(x=1.0)) == [
        "1 of 1 kept results are of today's numbers, 0 are to be run again, 0 have no fingerprint."
    ]


def test_every_experiment_has_a_break():
    for file in (ROOT / "experiments").glob("*.toml"):
        assert fingerprints.first_break(file.stem)
