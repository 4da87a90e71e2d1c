"""Corpora, as ``fovea data`` has them, and labelled texts from files.

>>> import fovea
>>> "made-reviews" in [corpus.name for corpus in fovea.data.corpora()]
True
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Union

from . import _engine, checks

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Corpus:
    """A corpus: ``examples`` counts those of each split, ``classes`` are empty where it holds pairs (``paired``) or a ``trace``."""

    name: str
    summary: str
    paired: bool
    classes: list[str]
    examples: dict[str, int]
    digest: str
    trace: dict[str, int] | None = None  #: of memory accesses: how many ``counters`` and ``pages`` they have

    def texts(self, split: str = "train") -> tuple[list[str], list[str]]:
        """The texts of a split, and their labels or translations.

        >>> import fovea
        >>> texts, labels = fovea.data.corpus("made-reviews").texts("validation")
        >>> len(texts) == len(labels), sorted(set(labels))
        (True, ['negative', 'positive'])
        """
        return _engine.corpus_texts(self.name, checks.text("split", split))


def corpora() -> list[Corpus]:
    """All corpora: those added, and those that the program makes.

    >>> import fovea
    >>> [corpus.examples["test"] for corpus in fovea.data.corpora() if corpus.name == "made-reviews"]
    [500]
    """
    return [Corpus(**facts) for facts in _engine.corpora()]


def corpus(name: str) -> Corpus:
    """One of them.

    >>> import fovea
    >>> fovea.data.corpus("made-reviews").classes
    ['negative', 'positive']
    """
    return Corpus(**_engine.find_corpus(checks.text("name", name)))


def read(
    file: Path, *, label: str | int = "", text: str | int | Sequence[str | int] = (), format: str = ""
) -> tuple[list[str], list[str]]:
    """The texts of a file and their labels, as ``fovea predict FILE`` reads them: .tsv, .csv or .jsonl, plain, .gz or .zst, or a folder
    of texts for each class. Columns are named as in the header or numbered from 1; several of ``text`` are joined.

    >>> import fovea, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "news.csv")
    >>> _ = file.write_text("class,title,body\\nsport,A match,was won\\n")
    >>> fovea.data.read(file, label="class", text=["title", "body"])
    (['A match was won'], ['sport'])
    """
    name = checks.path("file", file, "the path of a file or folder of labelled texts")
    return _engine.read_labelled(name, _column("label", label), _columns("text", text), checks.text("format", format))


def cut(text: str) -> list[str]:
    """The words of a labelled text, as classifiers, ``predict`` and ``check_attention`` cut it.

    >>> import fovea
    >>> fovea.data.cut("Is it 'due'? At 3pm 😡!")
    ['is', 'it', "'", 'due', "'", '?', 'at', '3pm', '😡', '!']
    """
    checks.letters("text", checks.text("text", text))
    return _engine.cut_words(text)


def add(
    name: str,
    train: Path = "",
    *,
    label: str | int = "",
    text: str | int | Sequence[str | int] = (),
    target: str | int = "",
    train_target: Path = "",
    validation: Path = "",
    validation_target: Path = "",
    test: Path = "",
    test_target: Path = "",
    trace: Path = "",
    format: str = "",
    shares: tuple[float, float] = (0.1, 0.1),
    seed: int = 0,
    skip_bad: bool = False,
    replace: bool = False,
) -> Corpus:
    """Adds a corpus from files of labelled texts (``label`` and ``text`` are columns), or of texts and their translations (``target``, or
    a file beside each file). What is not given of validation and test is split off, by ``shares``. Texts are checked and copied.

    >>> import fovea, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "films.tsv")
    >>> _ = file.write_text("".join(f"{'+-'[n % 2]}\\ta {'good bad'.split()[n % 2]} film, number {n}\\n" for n in range(100)))
    >>> added = fovea.data.add("films", file, label=1, text=2, replace=True)
    >>> added.classes, added.examples
    (['+', '-'], {'train': 80, 'validation': 10, 'test': 10})
    >>> fovea.data.remove("films")

    A ``trace`` of memory accesses stands alone: a counter and an address on each line, as ``0x401126,0x404000``.

    >>> file = pathlib.Path(tempfile.mkdtemp(), "app.csv")
    >>> _ = file.write_text("".join(f"0x401126,{64 * (n % 50)}\\n" for n in range(1000)))
    >>> added = fovea.data.add("app", trace=file, replace=True)
    >>> added.examples, added.trace
    ({'train': 800, 'validation': 100, 'test': 100}, {'counters': 1, 'pages': 1})
    >>> fovea.predict("address-trace", corpus="app").told
    1.0
    >>> fovea.data.remove("app")
    """
    if trace:
        others = {
            "train": train,
            "label": label,
            "text": text,
            "target": target,
            "validation": validation,
            "test": test,
            "format": format,
        }
        for given in (one for one, value in others.items() if value):
            raise _engine.wrong_input(f"{given}= is of texts, and a trace has none", "give one of them")
        accesses = checks.path("trace", trace, "the path of a trace of memory accesses")
        facts, _ = _engine.add_trace(
            checks.text("name", name), accesses, checks.flag("skip_bad", skip_bad), checks.flag("replace", replace)
        )
        return Corpus(**facts)
    if not train:
        raise _engine.wrong_input("no file is named", "name one: train=…, or trace=… of memory accesses")
    common: dict[str, Any] = {
        "text": _columns("text", text),
        "label": _column("label", label),
        "target": _column("target", target),
    }
    common |= {"format": checks.text("format", format), "skip_bad": checks.flag("skip_bad", skip_bad)}
    folder = os.path.isdir(checks.path("train", train, "the path of a file or folder of texts"))
    if not (common["label"] or common["target"] or train_target or folder):
        raise _engine.wrong_input(
            "neither a class nor a translation is named", "give label=…, target=… or train_target=…"
        )
    parts = []
    for one, (file, beside) in {
        "train": (train, train_target),
        "validation": (validation, validation_target),
        "test": (test, test_target),
    }.items():
        if beside and not file:
            raise _engine.wrong_input(f"{one}_target names translations, and {one} is missing", f"give {one}=…, too")
        if file and train_target and not beside:
            raise _engine.wrong_input(f"{one} has no file of translations", f"give {one}_target=…")
        source = {
            "file": checks.path(one, file, "the path of a file of texts"),
            "target_file": checks.path(f"{one}_target", beside, "the path of a file of translations"),
        }
        parts.append({**source, **common} if file else None)
    train_part, validation_part, test_part = parts
    assert train_part is not None
    of_validation, of_test = (checks.number("shares", share, least=0) for share in shares)
    facts, _ = _engine.add_corpus(
        checks.text("name", name),
        train_part,
        validation_part,
        test_part,
        (of_validation, of_test),
        checks.whole("seed", seed, 0),
        checks.flag("replace", replace),
    )
    return Corpus(**facts)


def remove(name: str) -> None:
    """Removes a corpus that was added; runs that were trained on it stay.

    >>> import fovea
    >>> fovea.data.remove("films-of-mine")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    fovea.WrongInput: there is no corpus 'films-of-mine'
    """
    _engine.remove_corpus(checks.text("name", name))


def _column(name: str, column: Any) -> str:
    return (
        str(checks.whole(name, column, 1))
        if isinstance(column, int) and not isinstance(column, bool)
        else checks.text(name, column)
    )


def _columns(name: str, columns: Any) -> list[str]:
    if isinstance(columns, (str, int)):
        return [column for column in (_column(name, columns),) if column]
    return [_column(name, column) for column in columns]
