#!/usr/bin/env python3
"""Writes bleu.json: sentences, what others made of them, and sacreBLEU's score and words of both.

pip install sacrebleu
tests/reference/make_bleu.py
"""

import json
import pathlib
import random

import sacrebleu
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

REFERENCES = [
    "Two young, white males are outside near many bushes.",
    "A little girl climbing into a wooden playhouse, isn't she?",
    "The price rose by 3.5% to $1,299.99 - up from $1,250.",
    'He said: "It costs 20-30 euros (or so)"; nobody believed him...',
    "Ein Mann mit einem Hut sitzt auf der Bank.",
    "R&D at AT&amp;T &quot;grew&quot; 2.0x, e.g. in 1999-2001.",
    "日本語 の 文 です 。",
    "Über den Wolken\u00a0muss die Freiheit wohl grenzenlos sein.",
    "a_b [c] {d} ~e~ #f @g ^h `i` |j| \\k /l",
    "Wait -- what?! No.. way, 1.000,50 or .5 or 5. and ,6",
    "dogs run",
    "A man.",
]


def spoiled(sentence, draw):
    words = sentence.split(" ")
    for _ in range(draw.randrange(4)):
        place = draw.randrange(len(words))
        kind = draw.randrange(3)
        if kind == 0:
            words[place] = draw.choice(["the", "a", "Hut,", "2.0", "(so)", "grün"])
        elif kind == 1 and len(words) > 1:
            del words[place]
        else:
            words.insert(place, draw.choice(words))
    return " ".join(words)


def main():
    draw = random.Random(1)
    cut = Tokenizer13a()
    cases = []
    for _ in range(40):
        references = [draw.choice(REFERENCES) for _ in range(draw.randrange(1, 9))]
        said = [spoiled(reference, draw) for reference in references]
        cases.append({"said": said, "references": references})
    cases.append({"said": ["nothing in common"], "references": ["dogs run"]})
    cases.append({"said": ["dogs run"], "references": ["dogs run"]})
    cases.append({"said": ["dogs"], "references": ["dogs run very fast here"]})
    cases.append({"said": ["", "A man."], "references": ["A man.", "A man."]})
    for case in cases:
        case["bleu"] = sacrebleu.corpus_bleu(case["said"], [case["references"]]).score
    words = [{"text": text, "words": cut(text.rstrip()).split()} for text in REFERENCES]
    place = pathlib.Path(__file__).with_name("bleu.json")
    place.write_text(
        json.dumps(
            {"made_by": f"sacrebleu {sacrebleu.__version__}", "words": words, "cases": cases},
            ensure_ascii=False,
            indent=1,
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
