"""Every planted case gets the right verdict. `planted_cases.py` does the same with more seeds."""

import pytest
from planted_cases import cases, wrong_of


@pytest.mark.parametrize("name", cases())
def test_a_planted_case(name):
    report, wrong = wrong_of(cases()[name], 0)
    assert not wrong, str(report)
