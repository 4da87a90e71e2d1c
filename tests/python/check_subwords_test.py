"""fovea.check_classifier of a classifier of BERT's kind: subwords that make words, three classes, texts that are not English."""

import random

import pytest

import fovea

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
tokenizers = pytest.importorskip("tokenizers")

# A label, the words that indicate it, and words of no class.
CLASSES = {"lob": ["großartig", "wunderschön"], "klage": ["enttäuschend", "kaputt"], "frage": ["warum", "πόσο"]}
OTHERS = "das Paket der Lieferung kam gestern über Köln 本 です и ещё ein zweites für Müller".split()


def drawn(count, seed):
    """Texts as lists of words, with labels."""
    of = random.Random(seed)
    labels = [place % 3 for place in range(count)]
    texts = [[*of.choices(OTHERS, k=5), of.choice(list(CLASSES.values())[label])] for label in labels]
    for text in texts:
        of.shuffle(text)
    return texts, torch.tensor(labels)


def wordpieces(texts):
    """A tokenizer that cuts words into letters and frequent pieces, learned from the texts."""
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    learned = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    learned.pre_tokenizer = tokenizers.pre_tokenizers.WhitespaceSplit()
    trainer = tokenizers.trainers.WordPieceTrainer(vocab_size=90, special_tokens=special)
    learned.train_from_iterator((" ".join(text) for text in texts), trainer)
    learned.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=learned, pad_token="[PAD]", mask_token="[MASK]", cls_token="[CLS]", sep_token="[SEP]"
    )


def test_a_classifier_of_subwords_is_checked_by_words():
    torch.manual_seed(0)
    train, labels = drawn(240, 0)
    test, right = drawn(30, 1)
    pieces = wordpieces(train)

    def batch_of(texts):
        return pieces(texts, is_split_into_words=True, padding=True, return_tensors="pt", return_token_type_ids=False)

    config = transformers.BertConfig(
        vocab_size=len(pieces), hidden_size=32, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
        max_position_embeddings=80, num_labels=3, initializer_range=0.1, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    )  # fmt: skip
    model = transformers.BertForSequenceClassification(config)
    given = batch_of(train)
    optimizer = torch.optim.Adam(model.parameters(), 3e-3)
    for _ in range(6):
        for chosen in torch.randperm(len(train)).split(24):
            optimizer.zero_grad()
            model(**{name: of[chosen] for name, of in given.items()}, labels=labels[chosen]).loss.backward()
            optimizer.step()

    tested = batch_of(test)
    word_ids = [tested.word_ids(place) for place in range(len(test))]
    assert any(len(set(one)) < len([word for word in one if word is not None]) for one in word_ids), "words are split"
    check = fovea.check_classifier(
        model, dict(tested), lambda out: out.logits, labels=right, erase=pieces.mask_token_id, row=0, words=test,
        word_ids=word_ids, shuffles=3, search=3,
    )  # fmt: skip
    assert check.figures["accuracy_learned"].mean > 0.9
    assert [len(one) for one in check.attention] == [6] * len(test), "a weight for each word"
    assert all(0 < one.sum() < 1 for one in check.attention), "the class token has weight, too"
    # Without its only word of a class, a text has no answer; any other word may go.
    assert check.figures["deleted_gradient"].mean > 0.4 and check.figures["deleted_random"].mean < 0.3
    assert all(word in check.page() for word in test[0]), "words are shown whole"
    with pytest.raises(fovea.WrongInput, match="Give a list for each example, with an entry for each position"):
        fovea.check_classifier(model, dict(tested), lambda out: out.logits, word_ids=word_ids[1:], search=0)
