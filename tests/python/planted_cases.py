"""Made cases whose answer was put into them, and what `check_attention` and `check_classifier` must say of each.

    python tests/python/planted_cases.py --seeds 5

Prints for each case the number of seeds with the right verdict, and what was wrong. Exits with 1 if a verdict is wrong. Each seed draws texts,
split and trainings of its own. The cases of classifiers need PyTorch, and are left out without it.
"""

import argparse
import importlib.util
import sys
from types import SimpleNamespace

import numpy as np

import fovea

FILLER = [f"w{n}" for n in range(40)]
QUICK = dict(seeds=2, epochs=6, hidden=16, progress=False)


def drawn(count, words, seed=0):
    """Texts of eight random words, with what ``words(label, random)`` gives at a random position; labels in turn."""
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for place in range(count):
        label = place % 2
        filler = list(random.choice(FILLER, 8))
        at = random.integers(7)
        texts.append(" ".join(filler[:at] + words(label, random) + filler[at:]))
        labels.append("yes" if label else "no")
    return texts, labels


def leak(label, random):
    return ["leak"] if label else []


def pair(label, random):
    """Two words that decide together: the label is the exclusive or."""
    first = int(random.integers(2))
    return [("not", "very")[first], ("good", "bad")[first ^ label]]


def many(label, random):
    """Words of which each tells a little."""
    return [f"{'ab'[label if random.random() < 0.9 else 1 - label]}{random.integers(10)}" for _ in range(12)]


def weak(label, random):
    """Words of which each tells less."""
    return [f"{'ab'[label if random.random() < 0.7 else 1 - label]}{random.integers(10)}" for _ in range(6)]


def one_of_several(label, random):
    return [f"{('bad', 'good')[label]}{random.integers(4)}"]


# ---- texts: each case gives a report and the sentences that it must satisfy


def random_labels(seed):
    belief = fovea.check_attention(*drawn(400, lambda label, random: [], seed), **QUICK, seed=seed)
    return belief, {
        "nothing was found": belief.verdict == "nothing was found",
        "attention is not to be shown": belief.headline.startswith("Do not show attention"),
        "no label is doubtful, no word is of one class": belief.figures["doubtful"] == belief.figures["alone"] == [],
    }


def leaking_word(seed):
    belief = fovea.check_attention(*drawn(400, leak, seed), **QUICK, seed=seed)
    return belief, {
        "one word tells": belief.verdict == "one word tells",
        "it is the leak": belief.telling_word["word"] == "leak" and belief.telling_word["class"] == "yes",
        "it is the headline": belief.headline.startswith("'leak' alone gives the label"),
        "it is warned of": [one["word"] for one in belief.figures["alone"]] == ["leak"],
        "the answers depend on it": belief.figures["changes"]["regression"].low > 0.3,
    }


def two_words_together(seed):
    belief = fovea.check_attention(
        *drawn(1200, pair, seed), **{**QUICK, "seeds": 3, "hidden": 32, "epochs": 20}, seed=seed
    )
    accuracy = belief.figures["accuracy"]
    return belief, {
        "no single word tells": belief.verdict == "no single word tells",
        "learned together": accuracy["learned"].low > 0.8 > 0.6 > accuracy["regression"].high,
    }


def duplicates_only(seed):
    texts, labels = drawn(20, leak, seed)
    belief = fovea.check_attention(texts * 20, labels * 20, **QUICK, seed=seed)
    return belief, {
        "too few": belief.verdict == "too few different texts" and not belief.figures,
        "counted": belief.facts["different"] == 20 and belief.facts["conflicts"] == 0,
    }


def swapped_labels(seed):
    texts, labels = drawn(400, one_of_several, seed)
    swapped = set(np.random.default_rng([seed, 1]).choice(400, 20, replace=False).tolist())
    labels = [("yes" if label == "no" else "no") if place in swapped else label for place, label in enumerate(labels)]
    belief = fovea.check_attention(texts, labels, **QUICK, seed=seed)
    doubtful = {one["text"] for one in belief.figures["doubtful"]}
    return belief, {
        "something was found": belief.verdict != "nothing was found",
        "at least 16 of 20 are doubtful": len(doubtful & swapped) >= 16,
        "at most 4 others are": len(doubtful - swapped) <= 4,
    }


def noisy_texts(seed):
    """Of words that each tell little, so that models contradict many labels, none of which is wrong."""
    texts, labels = drawn(1200, weak, seed)
    belief = fovea.check_attention(texts, labels, **QUICK, seed=seed)
    return belief, {
        "models contradict labels": 0.7 < belief.figures["labels"]["accuracy"] < 0.95,
        "at most 4 labels are doubtful": len(belief.figures["doubtful"]) <= 4,
    }


def idle_attention(seed):
    belief = fovea.check_attention(*drawn(1000, many, seed), **{**QUICK, "seeds": 3}, seed=seed)
    return belief, {
        "learned": belief.figures["accuracy"]["learned"].low > 0.9,
        "attention is not needed": belief.verdict == "attention is not needed",
        "attention is not to be shown": belief.headline.startswith("Do not show attention"),
    }


# ---- classifiers: attention over the states of a recurrent network, which carry words to their neighbours


def classifiers():
    import torch
    from torch import nn

    vocab, length, gone = 14, 8, 1

    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.table, self.read = nn.Embedding(vocab, 8), nn.GRU(8, 8, batch_first=True, bidirectional=True)
            self.score, self.out = nn.Linear(16, 1), nn.Linear(16, 2)

        def forward(self, tokens):
            states, _ = self.read(self.table(tokens))
            self.weights = self.score(states)[..., 0].softmax(-1)
            return self.out((self.weights[..., None] * states).sum(1))

    def cue(random):
        """A token of the class among others."""
        labels = torch.randint(0, 2, (300,), generator=random)
        tokens = torch.randint(4, vocab, (300, length), generator=random)
        tokens[torch.arange(300), torch.randint(0, length, (300,), generator=random)] = 2 + labels
        return tokens, labels

    def counts(random):
        """The class with more tokens: half of the tokens stand for each."""
        labels = torch.randint(0, 2, (300,), generator=random)
        tokens = torch.randint(4, 9, (300, length), generator=random)
        likely = torch.rand(300, length, generator=random) < 0.9
        return tokens + 5 * torch.where(likely, labels[:, None], 1 - labels[:, None]), labels

    def training(data, aside):
        """With ``aside``, weight on the tokens of the classes costs: an adversary of the explanation."""
        tokens, labels = data
        cues = tokens < 4

        def fit(module):
            optimizer = torch.optim.Adam(module.parameters(), 0.02)
            for _ in range(150):
                loss = nn.functional.cross_entropy(module(tokens), labels)
                if aside:
                    loss = loss - torch.log1p(-(module.weights * cues).sum(1).clamp(max=1 - 1e-6)).mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()

        return fit

    def checked(seed, drawn, aside=False, **more):
        torch.manual_seed(seed)
        random = torch.Generator().manual_seed(seed)
        fit, (tokens, labels), model = training(drawn(random), aside), drawn(random), Classifier()
        fit(model)
        if more.get("seeds"):
            more["fit"] = fit
        return fovea.check_classifier(
            model, tokens, lambda out: out, labels=labels, erase=gone, shuffles=5, search=0, seed=seed, **more
        )

    def honest(seed):
        check = checked(seed, cue)
        return check, {
            "learned": check.figures["accuracy_learned"].mean > 0.9,
            "matters": "matters more than a random one" in check.verdicts[2],
        }

    def adversarial(seed):
        check = checked(seed, cue, aside=True)
        figures = check.figures
        return check, {
            "learned": figures["accuracy_learned"].mean > 0.9,
            "attention is not to be shown": check.headline.startswith("Do not show attention"),
            "its own gradient says otherwise": figures["deleted_gradient"].low > figures["deleted_attention"].high,
            "the position does not matter more": "matters more than a random one" not in check.verdicts[2],
        }

    def idle(seed):
        check = checked(seed, counts, seeds=3)
        return check, {
            "learned": check.figures["accuracy_uniform"].mean > 0.9,
            "attention is not needed": check.verdicts[0].startswith("Attention is not needed"),
            "attention is not to be shown": check.headline.startswith("Do not show attention"),
        }

    return SimpleNamespace(honest=honest, adversarial=adversarial, idle=idle)


TEXTS = {
    "random labels": random_labels,
    "one leaking word": leaking_word,
    "two words together": two_words_together,
    "duplicates only": duplicates_only,
    "5 % of labels swapped": swapped_labels,
    "noisy texts, no label swapped": noisy_texts,
    "attention idle": idle_attention,
}
CLASSIFIERS = {
    "classifier: attention right": "honest",
    "classifier: attention idle": "idle",
    "classifier: attention trained away": "adversarial",
}


def cases():
    found = dict(TEXTS)
    if importlib.util.find_spec("torch"):
        made = classifiers()
        found |= {name: getattr(made, attribute) for name, attribute in CLASSIFIERS.items()}
    return found


def wrong_of(case, seed):
    """The report of a case, and what it must say and does not."""
    report, sentences = case(seed)
    return report, [sentence for sentence, holds in sentences.items() if not holds]


def main():
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--seeds", type=int, default=5)
    asked.add_argument("--case", default="", help="a part of the name of the cases that are run")
    given = asked.parse_args()
    print("| case | right verdicts | headline of seed 0 |\n|---|---|---|")
    failed = []
    for name, case in cases().items():
        if given.case not in name:
            continue
        right, headline = 0, ""
        for seed in range(given.seeds):
            report, wrong = wrong_of(case, seed)
            right += not wrong
            headline = headline or report.headline
            failed += [f"{name}, seed {seed}: not so: {sentence}\n{report}" for sentence in wrong]
        print(f"| {name} | {right} of {given.seeds} | {headline} |", flush=True)
    if not importlib.util.find_spec("torch"):
        print("The cases of classifiers were left out: PyTorch is not installed.")
    print("\n\n".join(failed))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
