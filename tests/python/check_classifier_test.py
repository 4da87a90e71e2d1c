"""fovea.check_classifier: every measure is that of a computation by hand in NumPy, and planted cases get the right verdict."""

import html
import itertools
import json
import math

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

from fovea.torch.classifier_report import ClassifierCheck  # noqa: E402
from fovea.torch.positions import shuffled  # noqa: E402
from observed_models import drawn as drawn  # noqa: E402
from torch import nn  # noqa: E402

PAD, GONE, VOCAB, LENGTHS = 0, 1, 14, [7, 5, 3, 7, 2, 6, 1, 4]


class Pooling(nn.Module):
    """Attention over embeddings, in double precision, with padding."""

    def __init__(self, classes=3, width=6, spread=2.0):
        super().__init__()
        self.table, self.score = nn.Embedding(VOCAB, width), nn.Linear(width, 1)
        self.out = nn.Linear(width, classes)
        self.double()
        for one in self.parameters():
            one.data.mul_(spread)

    def forward(self, tokens):
        states = self.table(tokens)
        scores = self.score(states)[..., 0].masked_fill(tokens == PAD, -torch.inf)
        return self.out((scores.softmax(-1)[:, None] @ states)[:, 0])


def texts():
    drawn = [torch.randperm(VOCAB - 2)[: max(LENGTHS)] + 2 for _ in LENGTHS]  # no token twice, so no ties
    tokens = torch.stack(drawn)
    return torch.where(torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS)[:, None], tokens, PAD)


class ByHand:
    """The same model and measures in NumPy, one example at a time."""

    def __init__(self, model, tokens):
        self.table, self.w, self.u, self.b = (
            one.detach().numpy()
            for one in (model.table.weight, model.score.weight[0], model.out.weight, model.out.bias)
        )
        self.tokens = [row[row != PAD] for row in tokens.numpy()]
        self.alphas = [self.softmax(self.table[row] @ self.w) for row in self.tokens]

    @staticmethod
    def softmax(x):
        return np.exp(x - x.max()) / np.exp(x - x.max()).sum()

    def p(self, row, alpha=None):
        alpha = self.softmax(self.table[row] @ self.w) if alpha is None else alpha
        return self.softmax(self.u @ (alpha @ self.table[row]) + self.b)

    def influence(self, row):
        """∂ log p(ŷ) / ∂e · e, by central differences of a factor of each embedding."""
        answer, found = self.p(row).argmax(), []
        for place in range(len(row)):

            def said(factor, place=place):
                states = self.table[row].copy()
                states[place] *= factor
                return np.log(self.softmax(self.u @ (self.softmax(states @ self.w) @ states) + self.b)[answer])

            found.append((said(1 + 1e-5) - said(1 - 1e-5)) / 2e-5)
        return np.array(found)


def kl(a, b):
    return sum(x * math.log(x / y) for x, y in zip(a, b) if x > 0)


def jsd(a, b):
    return kl(a, (a + b) / 2) / 2 + kl(b, (a + b) / 2) / 2


def tvd(a, b):
    return np.abs(a - b).sum() / 2


def tau_b(a, b):
    pairs = list(itertools.combinations(range(len(a)), 2))
    signs = [(np.sign(a[i] - a[j]), np.sign(b[i] - b[j])) for i, j in pairs]
    of_a, of_b = (sum(x * x for x in column) for column in zip(*signs))
    return sum(x * y for x, y in signs) / math.sqrt(of_a * of_b) if of_a and of_b else math.nan


def dropped(alpha, places):
    left = alpha.copy()
    left[list(places)] = 0
    return left / left.sum() if left.sum() > 0 else left


@pytest.fixture(scope="module")
def case():
    torch.manual_seed(3)
    model, tokens = Pooling(), texts()
    labels = torch.randint(0, 3, (len(LENGTHS),))
    check = fovea.check_classifier(model, tokens, lambda out: out, labels=labels, erase=GONE, shuffles=301, search=60)
    return model, tokens, check, ByHand(model, tokens)


def compare(check, name, hand, expected):
    """Of each example with more than one position; the others are NaN."""
    found = check.of_examples[name]
    assert [bool(np.isnan(one)) for one in found] == [len(row) == 1 for row in hand.tokens]
    for one, row, alpha in zip(found, hand.tokens, hand.alphas):
        if len(row) > 1:
            assert one == pytest.approx(expected(row, alpha), abs=1e-6), name
    known = found[np.isfinite(found)]
    assert check.figures[name].mean == pytest.approx(known.mean()) and np.ptp(known) > 0


def test_positions_that_make_a_word_count_as_one(case):
    """Two positions each make a word, and the first is of none: weights add up, and a word is deleted whole."""
    model, tokens, _, hand = case
    word_ids = [[None, *(place // 2 for place in range(len(row) - 1))] for row in tokens.tolist()]
    check = fovea.check_classifier(model, tokens, lambda out: out, erase=GONE, word_ids=word_ids, shuffles=3, search=0)
    for example, (row, alpha) in enumerate(zip(hand.tokens, hand.alphas)):
        places = [[1 + place for place in range(len(row) - 1) if place // 2 == word] for word in range(len(row) // 2)]
        np.testing.assert_allclose(check.attention[example], [alpha[of].sum() for of in places], atol=1e-9)
        if len(places) < 2:
            assert np.isnan(check.of_examples["deleted_attention"][example])
            continue
        top = max(places, key=lambda of: alpha[of].sum())
        without = np.array([GONE if place in top else token for place, token in enumerate(row)])
        changes = hand.p(without).argmax() != hand.p(row).argmax()
        assert check.of_examples["deleted_attention"][example] == changes
        moved = jsd(hand.p(row), hand.p(row, dropped(alpha, top)))
        assert check.of_examples["erased_top"][example] == pytest.approx(moved, abs=1e-6)
        influence = [hand.influence(row)[of].sum() for of in places]
        effects = [tvd(hand.p(row), hand.p(np.where(np.isin(np.arange(len(row)), of), GONE, row))) for of in places]
        for name, scores in (("tau_gradient", np.abs(influence)), ("tau_left_out", effects)):
            expected = tau_b([alpha[of].sum() for of in places], scores)
            assert check.of_examples[name][example] == pytest.approx(expected, abs=1e-6), name
    alone = [[*range(len(row))] for row in tokens.tolist()]
    same = fovea.check_classifier(model, tokens, lambda out: out, erase=GONE, word_ids=alone, shuffles=3, search=3)
    assert (
        same.figures == fovea.check_classifier(model, tokens, lambda out: out, erase=GONE, shuffles=3, search=3).figures
    )


def test_attention_is_that_of_the_model(case):
    _, _, check, hand = case
    for found, alpha in zip(check.attention, hand.alphas):
        np.testing.assert_allclose(found, alpha, atol=1e-9)


def test_erasure(case):
    _, _, check, hand = case
    found = check.of_examples
    for one, (row, alpha) in enumerate(zip(hand.tokens, hand.alphas)):
        if len(row) == 1:
            continue
        moved = [jsd(hand.p(row), hand.p(row, dropped(alpha, [place]))) for place in range(len(row))]
        assert found["erased_top"][one] == pytest.approx(moved[alpha.argmax()], abs=1e-6)
        others = np.delete(moved, alpha.argmax())
        assert np.abs(others - found["erased_other"][one]).min() < 1e-6
        assert found["erasure"][one] == float(found["erased_top"][one] > found["erased_other"][one])


@pytest.mark.parametrize("name", ["attention", "gradient", "attention_times_gradient"])
def test_flips(case, name):
    _, _, check, hand = case

    def share(row, alpha):
        influence = hand.influence(row)
        scores = {"attention": alpha, "gradient": influence, "attention_times_gradient": alpha * np.abs(influence)}[
            name
        ]
        order = np.argsort(-scores)
        for count in range(1, len(row)):
            if hand.p(row, dropped(alpha, order[:count])).argmax() != hand.p(row).argmax():
                return count / len(row)
        return 1.0

    compare(check, f"flips_{name}", hand, share)


def kept(row, places):
    """Deleted tokens are another token, which stands for them."""
    return np.where(np.isin(np.arange(len(row)), places), row, GONE)


@pytest.mark.parametrize("name", ["comprehensiveness", "sufficiency"])
def test_rationales(case, name):
    _, _, check, hand = case

    def mean(row, alpha):
        answer, order, values = hand.p(row).argmax(), np.argsort(-alpha), []
        for share in (0.01, 0.05, 0.1, 0.2, 0.5):
            count = max(1, math.ceil(round(share * len(row), 9)))
            top, rest = order[:count], order[count:]
            less = kept(row, rest if name == "comprehensiveness" else top)
            values.append(hand.p(row)[answer] - hand.p(less)[answer])
        return np.mean(values)

    compare(check, name, hand, mean)
    over = check.of_examples[name] - check.of_examples[f"{name}_random"]
    assert check.figures[f"{name}_over_random"].mean == pytest.approx(np.nanmean(over))


def test_rank_correlations(case):
    _, _, check, hand = case
    compare(check, "tau_gradient", hand, lambda row, a: tau_b(a, np.abs(hand.influence(row))))

    def left_out(row, alpha):
        places = range(len(row))
        return tau_b(
            alpha, [tvd(hand.p(row), hand.p(kept(row, [one for one in places if one != place]))) for place in places]
        )

    compare(check, "tau_left_out", hand, left_out)


def test_deletions(case):
    _, _, check, hand = case

    def changes(row, scores):
        rest = [place for place in range(len(row)) if place != scores.argmax()]
        return float(hand.p(kept(row, rest)).argmax() != hand.p(row).argmax())

    for name, scores in (("attention", lambda row, a: a), ("gradient", lambda row, a: hand.influence(row))):
        for one, (row, alpha) in enumerate(zip(hand.tokens, hand.alphas)):
            if len(row) > 1:
                assert check.of_examples[f"deleted_{name}"][one] == changes(row, scores(row, alpha))
    assert {0.0, 1.0} <= set(check.of_examples["deleted_attention"])


def test_uniform_weights(case):
    _, _, check, hand = case
    even = lambda row: np.full(len(row), 1 / len(row))  # noqa: E731
    compare(check, "uniform_tvd", hand, lambda row, a: tvd(hand.p(row), hand.p(row, even(row))))
    compare(check, "uniform_jsd", hand, lambda row, a: jsd(even(row), a))


def test_permutation_is_between_the_middle_permutations(case):
    _, _, check, hand = case
    for one, (row, alpha) in enumerate(zip(hand.tokens, hand.alphas)):
        if len(row) == 3:
            moved = sorted(tvd(hand.p(row), hand.p(row, np.array(w))) for w in itertools.permutations(alpha))
            assert moved[2] - 1e-6 <= check.of_examples["permutation"][one] <= moved[3] + 1e-6
    allowed = torch.rand(3, 2, 5, 9) < 0.6
    weights = torch.rand(3, 2, 5, 9) * allowed
    new = shuffled(weights, allowed, torch.Generator().manual_seed(0))
    assert (new[~allowed] == 0).all() and not torch.equal(new, weights)
    assert torch.equal(new.sort(-1).values, weights.sort(-1).values)


def test_an_adversary_has_the_answer_and_other_weights(case):
    _, _, check, hand = case
    apart = []
    for one, (row, alpha) in enumerate(zip(hand.tokens, hand.alphas)):
        weights = check.adversary[one, 0, 0, : len(row)]
        assert weights.sum() == pytest.approx(1) and (check.adversary[one, 0, 0, len(row) :] == 0).all()
        assert tvd(hand.p(row), hand.p(row, weights)) <= 0.01 + 1e-6
        if len(row) > 1:
            apart.append(jsd(weights, alpha))
            assert check.of_examples["adversary"][one] == pytest.approx(apart[-1], abs=1e-6)
    assert max(apart) > 0


def test_the_model_is_not_changed_and_the_report_is_whole(case, tmp_path):
    model, tokens, check, _ = case
    before = {name: one.clone() for name, one in model.state_dict().items()}
    fovea.check_classifier(model, tokens, lambda out: out, erase=GONE, shuffles=3, search=3)
    assert all(torch.equal(before[name], one) for name, one in model.state_dict().items())
    assert all(one.grad is None for one in model.parameters()) and model.training
    whole = json.loads(check.to_json())
    assert whole["figures"]["erasure"]["low"] <= whole["figures"]["erasure"]["mean"] <= 1
    assert "accuracy with learned attention" in str(check) and html.escape(check.headline) in check.page(title="texts")
    check.save(tmp_path / "mine.html")
    assert "<title>" in (tmp_path / "mine.html").read_text()


def test_attention_that_is_idle():
    """All states are alike, so no weight matters."""
    model = Pooling()
    model.table.weight.data[:] = model.table.weight.data[:1]
    check = fovea.check_classifier(model, texts(), lambda out: out, shuffles=11, search=300)
    figures = check.figures
    assert figures["permutation"].mean == pytest.approx(0, abs=1e-9) and figures["erasure"].mean == 0.5
    assert figures["uniform_tvd"].mean == pytest.approx(0, abs=1e-9) and figures["flips_attention"].mean == 1
    assert figures["adversary"].mean > 0.2
    assert check.headline.startswith("It is open")


def leaking(examples, random):
    """A token of the class among others."""
    labels = torch.randint(0, 2, (examples,), generator=random)
    tokens = torch.randint(4, VOCAB, (examples, 8), generator=random)
    tokens[torch.arange(examples), torch.randint(0, 8, (examples,), generator=random)] = 2 + labels
    return tokens, labels


def test_one_leaking_word():
    random = torch.Generator().manual_seed(0)
    train, labels = leaking(200, random)
    test, right = leaking(300, random)

    def fit(module):
        optimizer = torch.optim.Adam(module.parameters(), 0.03)
        for _ in range(80):
            optimizer.zero_grad()
            nn.functional.cross_entropy(module(train), labels).backward()
            optimizer.step()

    model = Pooling(2, spread=1.0)
    fit(model)
    words = [[str(token) for token in row.tolist()] for row in test]
    check = fovea.check_classifier(
        model, test, lambda out: out, labels=right, erase=GONE, fit=fit, seeds=2, adversaries=[0.0, 0.1],
        shuffles=11, search=60, words=words,
    )  # fmt: skip
    figures = check.figures
    assert figures["accuracy_learned"].low > 0.95 and figures["accuracy_uniform"].low > 0.95
    assert check.verdicts[0].startswith("Attention is not needed")
    assert figures["deleted_attention"].mean > 0.3 > figures["deleted_random"].mean
    assert "matters more than a random one" in check.verdicts[2] and check.headline.startswith("Attention may be shown")
    assert figures["seeds_agree"].low <= figures["seeds_agree"].high and "Trainings" in check.verdicts[1]
    still, far = check.adversaries
    assert [what for what, *_ in check.curve()] == [
        "adversarial model, λ = 0", "adversarial model, λ = 0.1", "another training", "uniform weights", "an adversary of each example",
    ]  # fmt: skip
    assert (
        check.curve()[2][1:] == (figures["seeds_tvd"].mean, figures["seeds_jsd"].mean) and figures["seeds_tvd"].mean > 0
    )
    assert still["lambda"] == 0 and 0 <= still["tvd"] <= 1 and 0 <= far["jsd"] <= math.log(2)
    assert "deleting '" in check.summary()


def test_the_curve_has_adversarial_models_and_their_rivals(case):
    _, _, check, hand = case
    points = {what: (tvd, jsd) for what, tvd, jsd in check.curve()}
    assert list(points) == ["uniform weights", "an adversary of each example"]
    moved, apart = (
        [each(hand, row, alpha, weights) for row, alpha, weights in zip(hand.tokens, hand.alphas, check.adversary[:, 0, 0]) if len(row) > 1]
        for each in (
            lambda by, row, alpha, weights: tvd(by.p(row), by.p(row, weights[: len(row)])),
            lambda by, row, alpha, weights: jsd(weights[: len(row)], alpha),
        )
    )  # fmt: skip
    assert points["an adversary of each example"] == pytest.approx((np.mean(moved), np.mean(apart)), abs=1e-6)
    assert np.mean(moved) <= 0.01 + 1e-6


def test_adversarial_models_are_further_from_attention_with_a_larger_lambda():
    model, tokens = Pooling(2, spread=1.0), texts()
    check = fovea.check_classifier(model, tokens, lambda out: out, adversaries=[0.0, 1.0], shuffles=3, search=200)
    still, far = check.adversaries
    assert far["jsd"] > still["jsd"] + 0.05


def test_verdicts_by_their_figures():
    def made(gain, deleted):
        learned = np.r_[np.ones(270), np.zeros(30)]
        right = {"learned": [learned] * 2, "uniform": [(1 - gain) * learned] * 2}
        of = {
            "uniform_changes": np.zeros(300), "erasure": np.ones(300),
            "deleted_attention": np.r_[np.ones(deleted), np.zeros(300 - deleted)], "deleted_random": np.zeros(300),
        }  # fmt: skip
        more = dict(
            agreement=[0.4, -0.1], between=[(0.1, 0.3), (0.2, 0.5)], adversaries=[], adversary=None, examples=[]
        )
        return ClassifierCheck("attn", of, [np.ones(3) / 3], 0, accuracy=right, **more)

    assert made(0.5, 90).verdicts[0].startswith("Attention is needed")
    assert made(0.0, 90).verdicts[0].startswith("Attention is not needed")
    assert made(0.0, 90).verdicts[1].startswith("Trainings do not all agree")
    assert made(0.0, 90).headline.startswith("Attention may be shown")
    assert made(0.0, 9).headline.startswith("Do not show attention")
    assert made(0.0, 0).headline.startswith("Do not show attention")


@pytest.mark.parametrize(
    "given, told",
    [
        (dict(logits=3), "logits is"),
        (dict(logits=lambda out: out[:, :1]), r"logits\(output\) gives \(8, 1\)"),
        (dict(row=3), "attention has 1 rows"),
        (dict(site="other"), "fits no site"),
        (dict(labels=[0, 1]), r"labels has the shape \(2,\)"),
        (dict(seeds=1), "seeds is 1"),
        (dict(words=[["a"]]), r"words\[0\] has 1 words"),
        (dict(adversaries=[-1.0]), "adversaries is -1"),
    ],
)
def test_what_is_wrong_is_said(given, told):
    with pytest.raises(fovea.Error, match=told):
        fovea.check_classifier(Pooling(), texts(), **{"logits": lambda out: out, "shuffles": 3, "search": 0, **given})
