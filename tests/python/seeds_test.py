"""Quick claims of one seed: tests/claims/one_seed.toml names them with the reason."""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import tomllib  # noqa: E402
from fresh_seeds import seeds_of  # noqa: E402


def of_one_seed():
    """Experiments that make quick claims and train one seed. Those that sweep no seed draw nothing at random."""
    for file in (ROOT / "experiments").glob("*.toml"):
        experiment = tomllib.loads(file.read_text())
        if seeds_of(experiment) == 1 and any(claim.get("form") != "full" for claim in experiment["claim"]):
            yield file.stem


def test_a_quick_claim_is_of_two_seeds_or_has_a_reason():
    reasons = tomllib.loads((ROOT / "tests" / "claims" / "one_seed.toml").read_text())["one"]
    assert all(len(one["reason"].split()) > 4 for one in reasons)
    assert sorted(of_one_seed()) == sorted(name for one in reasons for name in one["of"])
