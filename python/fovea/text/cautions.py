"""Reasons to distrust a whole check of attention: a word that gives the label, and verdicts that depend on the split. Findings asks."""

from __future__ import annotations

from typing import Any

_GIVES_AWAY = 0.9  # of a class's texts: a word in so many of them, and in few other texts, gives the label
_NAMED = 8  # words at most


def _giving_words(figures: dict[str, Any], one_word: bool) -> list[str]:
    """Return the words of one class that are in 90 % of its texts or more; or the word that decides the label."""
    found = [str(one["word"]) for one in figures.get("alone", []) if one["texts"] >= _GIVES_AWAY * one["of"]]
    return found or ([str(figures["telling_word"]["word"])] if one_word else [])


def leak_of(figures: dict[str, Any], one_word: bool) -> str:
    """Return the sentence on words that give the label, empty if there are none. ``one_word``: one word decides it."""
    words = _giving_words(figures, one_word)
    if not words:
        return ""
    if len(words) > 1:
        named = ", ".join(f"'{word}'" for word in words[:_NAMED])
        return f"Each of {named} alone gives a label. Remove them and check again."
    word, tested = figures["telling_word"], figures["test_texts"]
    given = f" of {round(word['accuracy'].mean * tested)} of the {tested} test texts" if word["word"] in words else ""
    return f"'{words[0]}' alone gives the label{given}. Remove it and check again."


def words_of_one_class(alone: list[dict[str, Any]]) -> list[str]:
    """Return a sentence for each class with words that hardly another class has."""
    said = []
    for label in dict.fromkeys(str(one["class"]) for one in alone):
        found = [one for one in alone if one["class"] == label]
        texts, elsewhere = [one["texts"] for one in found], max(one["elsewhere"] for one in found)
        named = ", ".join(f"'{one['word']}'" for one in found[:_NAMED])
        more = f" and {len(found) - _NAMED} more" if len(found) > _NAMED else ""
        each, they = ("it is", "It") if len(found) == 1 else ("each is", "They")
        share = f"{min(texts)} to {max(texts)}" if min(texts) < max(texts) else str(texts[0])
        said.append(
            f"Check {named}{more}: {each} in {share} of {found[0]['of']} texts of class '{label}', and in "
            f"{'at most ' if len(found) > 1 and elsewhere else ''}{elsewhere or 'no'} other text{'s' if elsewhere > 1 else ''}. "
            f"{they} may give the label away."
        )
    return said


def other_splits(figures: dict[str, Any], verdict: str) -> list[str]:
    """Return a warning if the verdict follows from how the texts were split."""
    splits = figures.get("other_splits")
    # A regression on words finds nothing if no single word indicates the class.
    if not splits or verdict == "no single word tells":  # prose: off data-that-tell, because it is the verdict's name
        return []
    found, of, nothing = splits["found"], splits["of"], verdict == "nothing was found"
    other = found if nothing else of - found
    if other == 0:
        return []
    return [
        f"Another split of these texts may give another verdict: on {other} of {of} other splits, a logistic regression "
        f"{'predicts labels' if nothing else 'was not shown to predict labels'}. Compare --seed 1, 2 and 3."
    ]


def labels_unchecked(labels: dict[str, Any] | None, texts: int) -> list[str]:
    """Return why wrong labels cannot be listed, if the check of labels learned nothing."""
    if not labels or not labels["repeats"] or labels["learned"]:
        return []
    return [
        f"Wrong labels cannot be listed from these {texts} texts: models of single words label {percent(labels['accuracy'])} of "
        f"held-out texts correctly, and the most frequent class has {percent(labels['majority'])}."
    ]


def percent(share: float) -> str:
    """Return a share in percent, with a digit after the point below 1 %."""
    return f"{100 * share:.{0 if share >= 0.0095 or share == 0 else 1}f} %"
