"""AttentionClassifier as it comes beside TF-IDF with a logistic regression (scikit-learn), on files of LABEL TAB TEXT lines.

    build/python/bin/python bench/text_classifiers.py sms.tsv news.tsv

Four fifths of the different texts train, the rest test; the split is drawn from a fixed seed. Accuracy and seconds of each.
"""

import pathlib
import sys
import time

import numpy as np
from fovea.estimators import AttentionClassifier
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline


def examples(path):
    lines = [line.split("\t", 1) for line in pathlib.Path(path).read_text(encoding="utf-8").split("\n") if "\t" in line]
    different = {text.strip(): label for label, text in reversed(lines)}
    return list(different), list(different.values())


def main():
    for path in sys.argv[1:]:
        texts, labels = examples(path)
        order = np.random.default_rng(0).permutation(len(texts))
        cut = len(texts) * 4 // 5
        train, test = [([texts[i] for i in some], [labels[i] for i in some]) for some in (order[:cut], order[cut:])]
        rivals = {
            "TF-IDF and logistic regression": make_pipeline(TfidfVectorizer(), LogisticRegression(max_iter=1000)),
            "AttentionClassifier": AttentionClassifier(),
        }
        print(f"{pathlib.Path(path).name}: {len(texts)} different texts")
        for name, model in rivals.items():
            begun = time.perf_counter()
            accuracy = model.fit(*train).score(*test)
            print(f"  {name:31} {accuracy:.3f}  {time.perf_counter() - begun:.0f} s", flush=True)


if __name__ == "__main__":
    main()
