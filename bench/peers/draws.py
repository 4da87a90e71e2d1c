"""Fresh training batches for peers, drawn as a NumPy user draws them: the same shapes and distributions as Fovea's tasks."""

import numpy as np


def lengths(generator, task, count):
    shortest = task["shortest"] or task["length"]
    return generator.integers(shortest, task["length"] + 1, count, dtype=np.int32)


def copy(case, generator, size):
    task, columns = case.task, case.task["length"] + 1
    if task["distinct"]:
        words = generator.permuted(np.tile(np.arange(task["vocab"], dtype=np.int32), (size, 1)), axis=1)[:, : task["length"]]
    else:
        words = generator.integers(task["vocab"], size=(size, task["length"]), dtype=np.int32)
    source = np.empty((size, columns), np.int32)
    source[:, :-1] = words
    long = lengths(generator, task, size)
    source[np.arange(size), long] = task["vocab"]
    source[np.arange(columns) > long[:, None]] = -1
    return {"source": source, "source_lengths": long + 1, "target": source, "target_lengths": long + 1}


def keyword(case, generator, size):
    task = case.task
    source = generator.integers(task["vocab"] - 1, size=(size, task["length"]), dtype=np.int32)
    long = lengths(generator, task, size)
    labels = generator.integers(2, size=size, dtype=np.int32)
    places = (generator.random(size) * long).astype(np.int32)
    marked = np.flatnonzero(labels)
    source[marked, places[marked]] = task["vocab"] - 1
    if task["shortest"]:
        source[np.arange(task["length"]) >= long[:, None]] = -1
    return {"source": source, "source_lengths": long, "labels": labels}


class LargestDigit:
    """Bags of images that lie in memory; what is on them does not change the work."""

    def __init__(self, case):
        generator = np.random.default_rng(1)
        self.images = generator.integers(256, size=(case.task["digits"], case.shape["width"]), dtype=np.uint8)
        self.digits = np.arange(len(self.images), dtype=np.int32) % 10

    def __call__(self, case, generator, size):
        chosen = generator.integers(len(self.images), size=(size, case.task["bag"]))
        items = self.images[chosen].astype(np.float32)
        items *= 1 / 255
        return {"items": items, "labels": self.digits[chosen].max(axis=1)}


class FeatureMean:
    """A fixed training set, gone through at random."""

    def __init__(self, case):
        generator = np.random.default_rng(1)
        self.x = generator.standard_normal((case.task["samples"], case.task["width"]), dtype=np.float32)
        self.labels = (self.x[:, : case.task["informative"]].sum(axis=1) > 0).astype(np.int32)

    def __call__(self, case, generator, size):
        chosen = generator.integers(len(self.x), size=size)
        return {"items": self.x[chosen][:, None], "labels": self.labels[chosen]}


def always_the_same(case, generator, size):
    return case.batches[0]


def drawer(case):
    """draw(generator) -> batch, of the case's task."""
    kinds = {
        "copy": lambda: copy,
        "keyword": lambda: keyword,
        "largest-digit": lambda: LargestDigit(case),
        "feature-mean": lambda: FeatureMean(case),
        "curve": lambda: always_the_same,
        "two-sequences": lambda: always_the_same,
    }
    draw = kinds[case.task["name"]]()
    return lambda generator: draw(case, generator, case.train["batch"])
