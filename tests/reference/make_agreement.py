"""Writes agreement.json: rank correlations of random data, with ties and without, as SciPy computes them.

    python3 tests/reference/make_agreement.py        (needs numpy and scipy)

tests/probe/agreement_test.cpp computes them from the same data and compares.
"""

import json
import pathlib

import numpy
from scipy import stats

generator = numpy.random.default_rng(20240229)
cases = []
for length, values in [(2, 0), (3, 2), (5, 0), (17, 3), (40, 0), (40, 5), (40, 2), (200, 0), (200, 12), (1001, 40)]:
    for _ in range(3):
        lean = generator.integers(-1, 2)  # against each other, apart, together
        if values == 0:
            a = generator.standard_normal(length)
            b = lean * a + generator.standard_normal(length)
        else:
            a = generator.integers(values, size=length)
            b = lean * a + generator.integers(values, size=length)
        a, b = numpy.asarray(a, dtype=float), numpy.asarray(b, dtype=float)
        if len(set(a)) < 2 or len(set(b)) < 2:
            continue
        cases.append(
            {
                "a": a.tolist(),
                "b": b.tolist(),
                "tau": float(stats.kendalltau(a, b).statistic),
                "rho": float(stats.spearmanr(a, b).statistic),
            }
        )

path = pathlib.Path(__file__).parent / "agreement.json"
path.write_text(json.dumps({"cases": cases}) + "\n")
