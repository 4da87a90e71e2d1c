"""Fresh training batches for peers, drawn as a NumPy user draws them: the same shapes and distributions as Fovea's tasks."""

import numpy as np


def lengths(generator, task, count):
    shortest = task["shortest"] or task["length"]
    return generator.integers(shortest, task["length"] + 1, count, dtype=np.int32)


def copy(case, generator, size):
    task, columns = case.task, case.task["length"] + 1
    if task["distinct"]:
        words = generator.permuted(np.tile(np.arange(task["vocab"], dtype=np.int32), (size, 1)), axis=1)[
            :, : task["length"]
        ]
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


def window_sums(case, generator, size):
    task = case.task
    n, base = task["n"], task["numbers"] + 1
    stream = np.empty((size, 2 * n + 1), np.int32)
    stream[:, :n] = generator.integers(1, base, (size, n), dtype=np.int32)
    stream[:, n] = base
    sums = np.cumsum(stream[:, :n], axis=1, dtype=np.int32)
    sums[:, task["window"] :] -= sums[:, : -task["window"]].copy()
    stream[:, n + 1 :] = sums % base
    return {"source": stream[:, :-1].copy(), "target": stream[:, 1:].copy()}


def markov(case, generator, size):
    """A chain for each stream. What would follow each state in each place is found for all at once; then the course is read off."""
    task, k, rows = case.task, case.task["states"], np.arange(size)
    chains = generator.dirichlet(np.full(k, task["alpha"]), (size, k))
    rest = np.linalg.solve(np.swapaxes(chains, 1, 2) - np.eye(k) + 1, np.ones((size, k, 1)))[..., 0]
    upto = np.cumsum(chains, axis=2)[None, :, :, :-1]
    follows = (generator.random((task["length"], size, 1, 1)) > upto).sum(-1, dtype=np.int32)
    course = np.empty((task["length"] + 1, size), np.int32)
    course[0] = (generator.random((size, 1)) > np.cumsum(rest, axis=1)[:, :-1]).sum(1)
    for t in range(task["length"]):
        course[t + 1] = follows[t, rows, course[t]]
    return {"source": course[:-1].T.copy(), "target": course[1:].T.copy()}


class OneChain:
    """Streams of one chain, in which what follows a few tokens, the triggers, is not the chain's."""

    def __init__(self, case, shares):
        vocab = case.task["vocab"]
        generator = np.random.default_rng(1)
        upto = np.cumsum(generator.dirichlet(shares, vocab), axis=1)
        upto[:, -1] = 1
        self.vocab = vocab
        self.upto = (
            upto + np.arange(vocab)[:, None]
        ).ravel()  # ascending, so that one search finds what follows any tokens

    def after(self, tokens, chance):
        return np.searchsorted(self.upto, tokens + chance) - tokens * self.vocab


class Birth(OneChain):
    def __init__(self, case):
        zipf = 1 / np.arange(1, case.task["vocab"] + 1)
        super().__init__(case, case.task["concentration"] * zipf / zipf.sum())
        self.trigger_of = np.full(self.vocab, -1)
        self.trigger_of[: case.task["triggers"]] = np.arange(case.task["triggers"])  # the most frequent, or nearly

    def __call__(self, case, generator, size):
        length, rows = case.task["length"], np.arange(size)
        successors = generator.integers(self.vocab, size=(size, case.task["triggers"]))
        chances = generator.random((length + 1, size))
        course = np.empty((length + 1, size), np.int64)
        course[0] = self.after(np.zeros(size, np.int64), chances[0])
        for t in range(length):
            trigger = self.trigger_of[course[t]]
            course[t + 1] = np.where(trigger < 0, self.after(course[t], chances[t + 1]), successors[rows, trigger])
        triggers = self.trigger_of[course[:-1].T]
        target = np.full((size, length), -1, np.int32)
        for trigger in range(case.task["triggers"]):
            here = triggers == trigger
            again = here & (np.cumsum(here, axis=1) > 1)
            target[again] = course[1:].T[again]
        return {"source": course[:-1].T.astype(np.int32), "target": target}


class Sink(OneChain):
    def __init__(self, case):
        super().__init__(case, np.full(case.task["vocab"], case.task["alpha"]))

    def __call__(self, case, generator, size):
        length, triggers = case.task["length"], case.task["triggers"]
        chances = generator.random((length, size))
        course = np.empty((length + 1, size), np.int64)
        course[0] = generator.integers(triggers, self.vocab, size=size)
        for t in range(length):
            follows = self.after(course[t], chances[t])
            course[t + 1] = np.where(course[t] < triggers, course[t - 1], follows) if t > 0 else follows
        return {"source": course[:-1].T.astype(np.int32), "target": course[1:].T.astype(np.int32)}


def made_names(case, generator, size):
    """A third of the words are cues or names; where they stand does not change the work."""
    task, shape = case.task, (size, case.task["length"])
    others = generator.integers(task["words"], case.shape["vocab"], shape, np.int32)
    source = np.where(
        generator.random(shape) < 1 / 3, others, generator.integers(task["words"], size=shape, dtype=np.int32)
    )
    first_name = task["words"] + task["types"] * task["cues"]
    return {
        "source": source,
        "target": generator.integers(case.shape["target_vocab"], size=shape, dtype=np.int32),
        "features": (source >= first_name)[..., None].astype(np.int32),
    }


class Accesses:
    """Windows of a trace of lines drawn one by one."""

    def __init__(self, case):
        generator = np.random.default_rng(1)
        trace = np.zeros((case.task["length"], 3), np.int32)
        trace[:, 1] = generator.integers(case.task["pages"], size=len(trace))
        trace[:, 2] = generator.integers(case.shape["offsets"], size=len(trace))
        self.windows = np.lib.stride_tricks.sliding_window_view(trace, case.task["window"] + 1, axis=0)

    def __call__(self, case, generator, size):
        windows = self.windows[generator.integers(len(self.windows), size=size)]  # (B,3,T+1)
        return {"source": windows[:, :, :-1].swapaxes(1, 2).reshape(size, -1), "target": windows[:, 1:, -1].copy()}


class PlacedDigit:
    """Images of one digit each, as large as the canvas; what is on them does not change the work."""

    def __init__(self, case):
        if case.task["side"] != 28 or case.task["pieces"]:
            raise SystemExit("the peers know digits that fill their canvas")
        generator = np.random.default_rng(1)
        self.images = generator.integers(256, size=(case.task["digits"], case.shape["width"]), dtype=np.uint8)
        self.labels = np.arange(len(self.images), dtype=np.int32) % 10

    def __call__(self, case, generator, size):
        chosen = generator.integers(len(self.images), size=size)
        items = self.images[chosen].astype(np.float32)
        items *= 1 / 255
        return {"items": items[:, None], "labels": self.labels[chosen]}


def always_the_same(case, generator, size):
    return case.batches[0]


def drawer(case):
    """draw(generator) -> batch, of the case's task."""
    kinds = {
        "copy": lambda: copy,
        "keyword": lambda: keyword,
        "largest-digit": lambda: LargestDigit(case),
        "feature-mean": lambda: FeatureMean(case),
        "mws": lambda: window_sums,
        "markov-icl": lambda: markov,
        "birth": lambda: Birth(case),
        "sink": lambda: Sink(case),
        "made-names": lambda: made_names,
        "addresses": lambda: Accesses(case),
        "placed-digit": lambda: PlacedDigit(case),
        "curve": lambda: always_the_same,
        "two-sequences": lambda: always_the_same,
    }
    draw = kinds[case.task["name"]]()
    return lambda generator: draw(case, generator, case.train["batch"])
