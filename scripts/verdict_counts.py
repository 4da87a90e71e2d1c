"""How many tests of the sentences of the sources have each verdict, as a table for docs/reference/sentences.md."""

import re

from peer_seeds import table


def counts_of_verdicts(lines):
    """A table of how many tests of a list of sentences begin with each verdict, and how many sentences have none."""
    kinds = {
        "supported": "    - supported:|    - supported,",
        "supported on some corpora": r"    - \*\*supported on ",
        "the sentence is contradicted": "    - the sentence is contradicted",
        "the sentence is refuted": "    - the sentence is refuted",
        "not supported": r"    - \*\*not supported",
        "not run in full yet": "    - not run in full yet",
        "sentence without a test": r"    - \*\*not tested",
    }
    counts = {kind: sum(bool(re.match(start, line)) for line in lines) for kind, start in kinds.items()}
    if sum(counts.values()) != sum(line.startswith("    - ") for line in lines):
        raise SystemExit("scripts/verdict_counts.py: a verdict has no row in counts_of_verdicts()")
    return table(["verdict", "tests"], [[kind, str(count)] for kind, count in counts.items()])
