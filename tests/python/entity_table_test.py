"""scripts/entity_table.py: the F1 of each tagger, with Student's interval over seeds, and the rivals without a model."""

import sys

from conftest import ROOT

sys.path.insert(0, str(ROOT / "scripts"))

from entity_table import entity_table

KEPT = {
    "experiment": "entities",
    "corpus": "tweets",
    "set": ["probe.split=test"],
    "runs": 5,
    "values": {
        "settings": {
            "seed": [0, 1, 2, 0, 0],
            "model.name": ["window-tagger", "window-tagger", "window-tagger", "linear-tagger", "linear-tagger"],
            "model.attention": ["learned", "learned", "learned", None, None],
            "model.reach": [2, 2, 2, 0, 2],
            "task.features": [True, True, True, False, True],
        },
        "numbers": {"entity_f1": [0.1, 0.11, 0.15, 0.02, 0.08], "first(lexicon_f1)": 0.03, "first(majority_f1)": 0.05},
    },
}


def test_rows_are_taggers_with_their_interval():
    # 12 %, deviation √7, 4.303 √(7 / 3) = 6.57
    assert entity_table([KEPT])[2:] == [
        "| tweets | test | `window-tagger`, learned attention | 3 | 12.00 [5.43, 18.57] |",
        "| tweets | test | log-linear: the word alone | – | 2.00 |",
        "| tweets | test | log-linear: 5 words with features | – | 8.00 |",
        "| tweets | test | lexicon | – | 3.00 |",
        "| tweets | test | most frequent tag of each word | – | 5.00 |",
    ]


def test_other_results_have_no_rows():
    assert entity_table([{"experiment": "sink"}, {**KEPT, "experiment": "entities-made"}]) == ["none kept yet"]
