"""How often a word that `fovea predict` names is one that a classifier of all texts uses.

    python scripts/calibrate_prediction.py reviews.tsv --label label --text text

Draws texts of the file, evenly from its classes, 30, 60, 200 and 1000 at a time, and predicts from each draw. A named word counts as used if its weight
for the class is among the largest 5 % of a logistic regression on TF-IDF that all texts of the file were given to. Beside each share is that of a word
drawn at random from those that stand in as many texts of the draw. Needs fovea and scikit-learn.
"""

import argparse
import pathlib
from collections import Counter, defaultdict

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

import fovea

LEVELS = ("strong", "probable", "possible")
DRAWS = {30: 50, 60: 50, 200: 20, 1000: 5}
USED = 0.05  # of the weights for a class


def used_words(words, labels):
    """For each class the words that the classifier of all texts uses."""
    vectors = TfidfVectorizer(analyzer=lambda text: text)
    fitted = LogisticRegression(max_iter=1000).fit(vectors.fit_transform(words), labels)
    names = vectors.get_feature_names_out()
    weights = fitted.coef_ if len(fitted.classes_) > 2 else np.vstack([-fitted.coef_, fitted.coef_])
    most = max(1, round(USED * len(names)))
    return {name: set(names[np.argsort(-row)[:most]]) for name, row in zip(fitted.classes_, weights)}


def drawn(random, by_class, size):
    shares = [size // len(by_class) + (place < size % len(by_class)) for place in range(len(by_class))]
    return [place for places, share in zip(by_class.values(), shares) for place in random.choice(places, share, False)]


def calibrate(texts, labels, words, sizes, seed):
    used = used_words(words, labels)
    by_class = {label: np.flatnonzero(np.array(labels) == label) for label in sorted(set(labels))}
    random = np.random.default_rng(seed)
    for size in sizes:
        if min(map(len, by_class.values())) < size // len(by_class) + 1:
            continue
        named, right, alike = Counter(), Counter(), Counter()
        draws = DRAWS.get(size, 5)
        for _ in range(draws):
            places = drawn(random, by_class, size)
            distinct = {(labels[place], tuple(words[place])) for place in places}  # copies count once
            held = Counter(word for _, text in distinct for word in set(text))
            as_frequent = defaultdict(list)
            for word, times in sorted(held.items()):
                as_frequent[times].append(word)
            prediction = fovea.predict([texts[place] for place in places], [labels[place] for place in places])
            for label, evidence in prediction.evidence.items():
                for one in evidence:
                    named[one.evidence] += 1
                    right[one.evidence] += one.word in used[label]
                    alike[one.evidence] += random.choice(as_frequent[one.here + one.elsewhere]) in used[label]
        cells = [
            f"{right[level] / named[level]:.2f} ({alike[level] / named[level]:.2f}) of {named[level] / draws:.1f}"
            if named[level]
            else "–"
            for level in LEVELS
        ]
        yield size, draws, cells


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("file", nargs="+")
    asked.add_argument("--label", default="", help="the column of the label (default: the first)")
    asked.add_argument("--text", default="", help="the columns of the text, separated by commas (default: the second)")
    asked.add_argument("--sizes", default="30,60,200,1000")
    asked.add_argument("--seed", type=int, default=0)
    given = asked.parse_args()
    columns = {
        name: value
        for name, value in (("label", given.label), ("text", given.text.split(",") if given.text else ""))
        if value
    }
    print("| corpus | texts | draws | " + " | ".join(LEVELS) + " |\n|---|---|---|---|---|---|")
    for file in given.file:
        texts, labels = fovea.data.read(file, **columns)
        words = [fovea.data.cut(text) for text in texts]
        for size, draws, cells in calibrate(texts, labels, words, map(int, given.sizes.split(",")), given.seed):
            print(f"| {pathlib.Path(file).name.split('.')[0]} | {size} | {draws} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
