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

__all__ = ["Corpus", "add", "corpora", "corpus", "cut", "read", "remove"]

Path = Union[str, "os.PathLike[str]"]


@dataclass(frozen=True)
class Corpus:
    """A corpus of the store: its kind, its parts and its sizes. ``fovea.data.corpus`` makes it.

    Attributes
    ----------
    name
        The name that runs give as ``task.corpus``.
    summary
        What it is, in a line.
    paired
        Whether it has pairs of texts for translation.
    classes
        The labels. Empty for pairs and traces.
    examples
        How many each split has.
    digest
        A digest of all texts, labels and splits.
    trace
        Of memory accesses, how many ``counters`` and ``pages`` there are. None for texts.

    Examples
    --------
    >>> import fovea
    >>> corpus = fovea.data.corpus("made-reviews")
    >>> corpus.classes, corpus.examples["test"]
    (['negative', 'positive'], 500)
    """

    name: str
    summary: str
    paired: bool
    classes: list[str]
    examples: dict[str, int]
    digest: str
    trace: dict[str, int] | None = None

    def texts(self, split: str = "train") -> tuple[list[str], list[str]]:
        """Return the texts of a split.

        Parameters
        ----------
        split
            ``"train"``, ``"validation"`` or ``"test"``.

        Returns
        -------
        tuple
            A list of texts, and a list of their labels or translations.

        Raises
        ------
        WrongInput
            If there is no such split, or the files of the corpus were changed.

        Examples
        --------
        >>> import fovea
        >>> texts, labels = fovea.data.corpus("made-reviews").texts("validation")
        >>> len(texts) == len(labels), sorted(set(labels))
        (True, ['negative', 'positive'])
        """
        return _engine.corpus_texts(self.name, checks.text("split", split))


def corpora() -> list[Corpus]:
    """List all corpora: those that were added, and those that the program makes.

    Returns
    -------
    list
        A ``Corpus`` each.

    Raises
    ------
    Failure
        If the description of a corpus cannot be read.

    Examples
    --------
    >>> import fovea
    >>> [corpus.examples["test"] for corpus in fovea.data.corpora() if corpus.name == "made-reviews"]
    [500]
    """
    return [Corpus(**facts) for facts in _engine.corpora()]


def corpus(name: str) -> Corpus:
    """Find a corpus by its name.

    Parameters
    ----------
    name
        The name of a corpus that was added, or that the program makes.

    Returns
    -------
    Corpus
        Its description.

    Raises
    ------
    WrongInput
        If there is no such corpus.

    Examples
    --------
    >>> import fovea
    >>> fovea.data.corpus("made-reviews").classes
    ['negative', 'positive']
    """
    return Corpus(**_engine.find_corpus(checks.text("name", name)))


def read(
    file: Path, *, label: str | int = "", text: str | int | Sequence[str | int] = (), format: str = ""
) -> tuple[list[str], list[str]]:
    """Read labelled texts from a file, as ``fovea predict FILE`` does.

    Parameters
    ----------
    file
        A ``.tsv``, ``.csv`` or ``.jsonl`` file, plain, ``.gz`` or ``.zst``, or a folder of texts for each class.
    label
        The column of the label: its name in the header, or its number from 1. Empty: the first.
    text
        The column of the text. Several columns are joined. Empty: the second.
    format
        ``"tsv"``, ``"csv"``, ``"jsonl"``, ``"lines"`` or ``"folder"``. Empty: by the name of the file.

    Returns
    -------
    tuple
        A list of texts, and a list of their labels.

    Raises
    ------
    WrongInput
        If a line cannot be read, or there is no such column. The message has file and line.
    Failure
        If the file cannot be opened.

    Examples
    --------
    >>> import fovea, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "news.csv")
    >>> _ = file.write_text("class,title,body\\nsport,A match,was won\\n")
    >>> fovea.data.read(file, label="class", text=["title", "body"])
    (['A match was won'], ['sport'])
    """
    name = checks.path("file", file, "the path of a file or folder of labelled texts")
    return _engine.read_labelled(name, _column("label", label), _columns("text", text), checks.text("format", format))


def cut(text: str) -> list[str]:
    """Cut a text into words, as classifiers, ``predict`` and ``check_attention`` cut it.

    Parameters
    ----------
    text
        A text in any script.

    Returns
    -------
    list
        The words, in lower case. Each punctuation mark is a word.

    Raises
    ------
    WrongInput
        If the text cannot be written in UTF-8.

    Examples
    --------
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
    """Add a corpus of labelled texts, of translations, or of memory accesses. Texts are checked and copied.

    Parameters
    ----------
    name
        The name of the corpus.
    train
        The file, or folder, of the training texts.
    label, text, target
        Columns, by their names or their numbers from 1: the label, the text (several are joined), and the translation.
    train_target, validation_target, test_target
        Files of translations. Each line translates the same line of the file of texts.
    validation, test
        Files of these splits. Empty: split off the training texts, by ``shares``.
    trace
        A file with a counter and an address on each line, as ``0x401126,0x404000``. Give no other file with it.
    format
        As in ``read``.
    shares
        The shares that are split off for validation and for the test.
    seed
        The seed of that split.
    skip_bad
        Whether lines that cannot be read are skipped.
    replace
        Whether a corpus of this name is replaced.

    Returns
    -------
    Corpus
        Its description.

    Raises
    ------
    WrongInput
        If a line cannot be read, arguments contradict each other, or a corpus of this name is there.
    Failure
        If a file cannot be opened, or the corpus cannot be written.

    Examples
    --------
    >>> import fovea, pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp(), "films.tsv")
    >>> _ = file.write_text("".join(f"{'+-'[n % 2]}\\ta {'good bad'.split()[n % 2]} film, number {n}\\n" for n in range(100)))
    >>> added = fovea.data.add("films", file, label=1, text=2, replace=True)
    >>> added.classes, added.examples
    (['+', '-'], {'train': 80, 'validation': 10, 'test': 10})
    >>> fovea.data.remove("films")
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
    """Remove a corpus that was added. Runs that were trained on it stay.

    Parameters
    ----------
    name
        The name of the corpus.

    Raises
    ------
    WrongInput
        If there is no such corpus.

    Examples
    --------
    >>> import fovea
    >>> fovea.data.remove("films-of-mine")  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    fovea.WrongInput: there is no corpus 'films-of-mine' that can be removed
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
