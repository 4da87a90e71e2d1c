"""Word vectors from texts without labels, in the format that the intervention "embeddings" reads.

    python examples/learn_vectors.py reviews.txt.gz news.txt --size 300 --output vectors.txt
    fovea run text-classify --set task.corpus=NAME --set model.embedding=300 --set 'intervene=[{embeddings="vectors.txt"}]'

A file has a text a line, plain, .gz or .zst; or a JSON object with a "text" a line, where its name says .jsonl: the training texts
that Fovea keeps of a corpus ($FOVEA_HOME/data/NAME/train.jsonl.zst) are such a file, without what validation and test are made of.
Texts are cut as Fovea's words are, but for those that have no blanks between words (Chinese, Japanese). Words that stand near each other more often than chance would have
it are alike: the positive part of their pointwise mutual information, in as many dimensions as are asked for (a truncated
singular value decomposition). Needs numpy and scipy, and zstandard for .zst.
"""

import argparse
import collections
import gzip
import json
import pathlib
import re
import sys
import unicodedata

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import svds

MARKS = "".join(char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char)[0] == "M")
PART = rf"(?:[^\W_][{MARKS}]*)+"
WORD = re.compile(rf"{PART}(?:'{PART})*|[^\w\s{MARKS}]|_")


def lines_of(path):
    if path.endswith(".zst"):
        import zstandard

        return zstandard.open(path, "rt", encoding="utf-8")
    return (gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8")


def texts_of(path):
    """Of a file: its lines, or what is the "text" of each."""
    is_json = any(ending == ".jsonl" for ending in pathlib.Path(path).suffixes)
    try:
        with lines_of(path) as lines:
            for number, line in enumerate(lines, 1):
                try:
                    yield json.loads(line)["text"] if is_json else line
                except (ValueError, KeyError, TypeError):
                    sys.exit(f'{path}:{number}: is no JSON object with a "text"')
    except (OSError, UnicodeDecodeError, EOFError) as error:
        sys.exit(f"{path}: cannot be read: {error}")


def words_of(text):
    return WORD.findall(unicodedata.normalize("NFC", text.replace("’", "'")).lower())


def stream_of(files, gap, min_count):
    """The words that come often enough, and all texts as numbers of words, -1 for others and between two texts."""
    number = collections.defaultdict(lambda: len(number))
    texts = [
        np.array([number[word] for word in words_of(text)] + [-1] * gap) for path in files for text in texts_of(path)
    ]
    stream = np.concatenate(texts) if texts else np.zeros(0, int)
    often = np.bincount(stream[stream >= 0], minlength=len(number)) >= min_count
    renumbered = np.append(np.where(often, np.cumsum(often) - 1, -1), -1)  # the last stands for -1
    return [word for word, k in number.items() if often[k]], renumbered[stream]


def near_each_other(stream, count, window):
    """How often words stand within the window of each other, a pair k apart counted 1/k."""
    total = sparse.csr_matrix((count, count))
    for apart in range(1, window + 1):
        left, right = stream[:-apart], stream[apart:]
        both = (left >= 0) & (right >= 0)
        pairs = sparse.coo_matrix(
            (np.full(both.sum(), 1 / apart), (left[both], right[both])), shape=(count, count)
        ).tocsr()
        total = total + pairs + pairs.T
    return total.tocoo()


def positive_information(near):
    """log p(a, b) / (p(a) q(b)), where it is positive. q is p to the power 3/4, so that rare words do not outweigh the others."""
    of_word = np.asarray(near.sum(1)).ravel()
    total = of_word.sum()
    smooth = of_word**0.75
    smooth *= total / smooth.sum()
    information = np.log(near.data * total / (of_word[near.row] * smooth[near.col]))
    kept = information > 0
    return sparse.csr_matrix((information[kept].astype(np.float32), (near.row[kept], near.col[kept])), shape=near.shape)


def one_or_more(word):
    if int(word) < 1:
        raise argparse.ArgumentTypeError("has to be 1 or more")
    return int(word)


def main():
    asked = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    asked.add_argument("texts", nargs="+", help="files of a text a line")
    asked.add_argument("--size", type=one_or_more, default=100, help="numbers of a vector")
    asked.add_argument("--window", type=one_or_more, default=8, help="words to either side that count as near")
    asked.add_argument("--min-count", type=one_or_more, default=3, help="words that come less often are passed over")
    asked.add_argument("--spread", type=float, default=0.3, help="standard deviation of the numbers")
    asked.add_argument("--output", required=True)
    words = asked.parse_args()

    names, stream = stream_of(words.texts, words.window, words.min_count)
    print(f"{(stream >= 0).sum()} words, {len(names)} of them different", file=sys.stderr)
    if len(names) <= words.size:
        sys.exit(
            f"{len(names)} words are too few for vectors of {words.size} numbers: give more texts, or a smaller --size"
        )
    near = positive_information(near_each_other(stream, len(names), words.window))
    if near.nnz == 0:
        sys.exit("no two words stand near each other more often than by chance: give longer texts, or more of them")
    left, strength, _ = svds(near, k=words.size, random_state=0)
    vectors = left * np.sqrt(strength)
    vectors *= words.spread / vectors.std()
    with open(words.output, "w", encoding="utf-8") as out:
        for name, vector in zip(names, vectors):
            print(name, *(f"{x:.4f}" for x in vector), file=out)


if __name__ == "__main__":
    main()
