"""``check_classifier``: whether the attention of a PyTorch classifier may be shown as the reason for its answers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .. import _engine, checks
from ..text.shading import Shading
from .classifier_report import EXAMPLES, Array, ClassifierCheck
from .observe import module_of


def check_classifier(
    model: Any,
    batch: Any,
    logits: Callable[[Any], Any],
    *,
    labels: Any = None,
    erase: Any = None,
    site: str | None = None,
    row: int | None = None,
    words: Sequence[Sequence[str]] | None = None,
    word_ids: Sequence[Sequence[int | None]] | None = None,
    fit: Callable[[Any], Any] | None = None,
    seeds: int = 3,
    adversaries: Iterable[float] = (),
    shuffles: int = 100,
    search: int = 500,
    seed: int = 0,
) -> ClassifierCheck:
    """Test whether the attention of a PyTorch classifier may be shown as the reason for its answers.

    The module is evaluated as ``fovea.observe`` evaluates it, and stays as it is. Attention is changed at one site: the largest weight
    is dropped, weights are shuffled, made uniform, and replaced by an adversary. With ``erase`` tokens are deleted as well.
    With ``fit`` copies of the module are trained, with learned and with uniform attention.

    Parameters
    ----------
    model : torch.nn.Module
        The classifier.
    batch : tensor, tuple or dict
        Examples that it was not trained on.
    logits : function
        Reads the logits off the module's output, (examples, classes).
    labels : array-like, optional
        The class of each example, from 0. Accuracy needs it.
    erase : int or function, optional
        The token in place of a deleted one, or a function of (batch, keep). It returns a batch without the positions at which ``keep``,
        (examples, positions), is False.
    site : str, optional
        The site. None: the last. ``fovea.attention_sites`` lists the names.
    row : int, optional
        The row that decides, such as 0 for a class token. None: the mean over all rows.
    words : list of list of str, optional
        The words of each example, for the examples that are shown.
    word_ids : list of list of int, optional
        The word of each position, for a tokenizer that splits words: a number from 0, or None for a position of no word, such as a
        class token. Then words are ranked, deleted and shown. The weight of a word is the sum over its positions.
    fit : function, optional
        Trains a module that it is given.
    seeds : int
        How many copies ``fit`` trains with each kind of attention.
    adversaries : list of float
        For each λ an adversarial model is trained on the batch.
    shuffles : int
        How often weights are shuffled.
    search : int
        Steps of the search for an adversary of each example, and of the training of an adversarial model. 0: neither.
    seed : int
        What random numbers follow from.

    Returns
    -------
    ClassifierCheck
        The report: ``summary()`` in words, ``figures``, and ``save("mine.html")``.

    Raises
    ------
    WrongInput
        If no attention is seen, or an argument is wrong.

    Examples
    --------
    >>> import torch, fovea
    >>> model = torch.nn.Sequential(torch.nn.Embedding(9, 8), torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))
    >>> check = fovea.check_classifier(model, torch.randint(1, 9, (6, 5)), lambda out: out[:, 0, :2], row=0, shuffles=5, search=0)
    >>> check.figures["uniform_tvd"].mean < 1
    True
    """
    checks.function("logits", logits)
    for name, value, least in (
        ("seeds", seeds, 2),
        ("shuffles", shuffles, 1),
        ("search", search, 0),
        ("seed", seed, 0),
    ):
        checks.whole(name, value, least)
    strengths = [checks.number("adversaries", one, least=0) for one in adversaries]
    if fit is not None:
        checks.function("fit", fit)
    if erase is not None and not callable(erase):
        checks.whole("erase", erase, 0)
    module = module_of(model)
    from .adversary import adversarial, adversary
    from .distances import jsd, tvd
    from .explaining import Explained

    one = Explained(
        module,
        batch,
        logits,
        None if site is None else checks.text("site", site),
        None if row is None else checks.whole("row", row),
        erase,
        seed,
        word_ids,
    )
    right = _labels(labels, len(one.answers), one.chances.shape[1])
    found: dict[str, Array] = {**one.erasure(), **one.flips(), **one.permutation(shuffles), **one.uniform()}
    found |= one.correlations()
    if one.deletes():
        found |= {**one.deletions(), **one.rationales()}
    weights_found = None
    if search:
        more, weights_found = adversary(one, search)
        found |= more
    accuracy: dict[str, list[Array]] = {}
    agreement: list[float] = []
    between: list[tuple[float, float]] = []
    if fit is not None:
        models = {
            kind: [one.trained(fit, seed + at, kind == "uniform") for at in range(seeds)]
            for kind in ("learned", "uniform")
        }
        if right is not None:
            accuracy = {
                kind: [(each.answers_of(kind == "uniform") == right).astype(float) for each in of]
                for kind, of in models.items()
            }
        for a, b in itertools.combinations(models["learned"], 2):
            taus = a.tau(b.attention)
            agreement.append(float(np.nanmean(taus)) if np.isfinite(taus).any() else math.nan)
            between.append((float(tvd(a.chances, b.chances).mean()), float(jsd(a.weights, b.weights).mean())))
    elif right is not None:
        accuracy = {"learned": [(one.answers.cpu().numpy() == right).astype(float)]}
    trained = [adversarial(one, strength, search, seed) for strength in strengths] if search else []
    weights = [each[real].cpu().numpy() for each, real in zip(one.attention, one.real)]
    return ClassifierCheck(
        one.site,
        found,
        weights,
        seed,
        accuracy=accuracy,
        agreement=agreement,
        between=between,
        adversaries=trained,
        adversary=weights_found,
        examples=_examples(words, weights, one.answers.tolist(), found),
    )


def _labels(labels: Any, examples: int, classes: int) -> Array | None:
    if labels is None:
        return None
    given = np.asarray(labels.detach().cpu() if hasattr(labels, "detach") else labels)
    if given.shape != (examples,) or given.dtype.kind not in "iu" or not ((given >= 0) & (given < classes)).all():
        raise _engine.wrong_input(
            f"labels has the shape {given.shape} and the type {given.dtype}",
            f"it must be ({examples},), whole numbers from 0 to {classes - 1}",
        )
    return given


def _examples(
    words: Sequence[Sequence[str]] | None, weights: list[Array], answers: list[int], found: Mapping[str, Array]
) -> list[tuple[Shading, str]]:
    """The first examples with their weights, and the effect of deleting a position."""
    if words is None:
        return []
    shown = []
    for place, (spelled, of, answer) in enumerate(zip(words, weights, answers)):
        if len(spelled) != len(of):
            raise _engine.wrong_input(
                f"words[{place}] has {len(spelled)} words, and the example {len(of)} positions", "give one for each"
            )
        what = f"class {answer}"
        if "deleted_attention" in found and np.isfinite(found["deleted_attention"][place]):
            changes = "changes" if found["deleted_attention"][place] else "does not change"
            what += f"; deleting '{spelled[int(of.argmax())]}' {changes} the answer"
        shown.append((Shading(list(spelled), [], of[None]), what))
    return shown[:EXAMPLES]
