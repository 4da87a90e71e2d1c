"""What a check of attention warns of: words that give a label, other splits, labels that could not be checked."""

from check_attention_test import BLIND, CUE, NO_CUE, belief_of
from fovea.text.estimate import Estimate


def test_words_of_one_class_are_warned_of():
    belief = belief_of(alone=[{"word": "cue", "class": "a", "texts": 90, "elsewhere": 0, "of": 300}])
    assert "Check 'cue': it is in 90 of 300 texts of class 'a', and in no other text." in belief.summary()
    few = belief_of(alone=[{"word": "cue", "class": "a", "texts": 90, "elsewhere": 3, "of": 300}])
    assert "Check 'cue': it is in 90 of 300 texts of class 'a', and in 3 other texts." in few.summary()
    assert "if their evidence is strong" in belief.summary() and belief.headline.startswith("Attention may be shown")


def test_a_word_that_alone_gives_the_label_is_the_headline():
    one = {"word": "zendesk", "class": "a", "texts": 140, "elsewhere": 0, "of": 140}
    assert belief_of(alone=[one]).headline == "'zendesk' alone gives the label. Remove it and check again."
    rarer = {**one, "word": "often", "texts": 125}
    assert belief_of(alone=[one, rarer]).headline == "'zendesk' alone gives the label. Remove it and check again."
    both = belief_of(alone=[one, {**one, "word": "shop"}])
    assert both.headline == "Each of 'zendesk', 'shop' alone gives a label. Remove them and check again."
    page = both.page()
    assert page.index("Each of &#x27;zendesk&#x27;") < page.index("Accuracy on 300 test texts: learned attention 0.90,")


def test_the_best_model_is_compared_with_the_word_in_words():
    less = {"telling_word": {**CUE["telling_word"], "below_best": Estimate(-0.125, -0.263, 0.013)}}
    assert (
        "The model that is best on held-out texts (learned attention) is 0.125 less accurate than this word (interval -0.263 to 0.013)."
        in str(belief_of(**less))
    )
    assert "is 0.200 more accurate than this word" in str(belief_of())


def test_a_verdict_that_depends_on_the_split_is_warned_of():
    said = belief_of(other_splits={"found": 5, "of": 9}).summary()
    assert (
        "on 4 of 9 other splits, a logistic regression was not shown to predict labels. Compare --seed 1, 2 and 3."
        in said
    )
    nothing = belief_of(**BLIND, **NO_CUE, other_splits={"found": 5, "of": 9}).summary()
    assert "on 5 of 9 other splits, a logistic regression predicts labels." in nothing
    assert "other splits" not in belief_of(other_splits={"found": 9, "of": 9}).summary()
    pairs = belief_of(single_gain=Estimate(0.0, -0.01, 0.01), **NO_CUE, other_splits={"found": 0, "of": 9})
    assert pairs.verdict == "no single word tells" and "other splits" not in pairs.summary()


def test_texts_that_are_too_few_to_check_labels_are_said():
    labels = {"repeats": 10, "learned": False, "accuracy": 0.55, "majority": 0.53, "false_alarms": 0.0}
    said = belief_of(labels=labels, doubtful=[]).summary()
    assert (
        "Wrong labels cannot be listed from these 1500 texts: models of single words label 55 % of held-out texts"
        in said
    )
    one = {"text": 3, "label": "a", "instead": "b", "words": "some words"}
    told = belief_of(labels={**labels, "learned": True, "false_alarms": 0.42}, doubtful=[one] * 4).summary()
    assert "0.4 of the 4 doubtful labels are expected to be right." in told and "cannot be listed" not in told
