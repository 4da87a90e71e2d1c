"""fovea.check_classifier of encoders: a class token, masks, batches as a dict, and vectors in place of tokens."""

import pytest

import fovea

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

PAD, GONE, VOCAB = 0, 1, 14
LENGTHS = [7, 5, 3, 7]


class Encoder(nn.Module):
    """Of BERT's kind: a class token, padding by a mask, a dict as its batch."""

    def __init__(self):
        super().__init__()
        self.table, self.places = nn.Embedding(VOCAB, 8), nn.Embedding(8, 8)
        self.layer = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True)
        self.out = nn.Linear(8, 2)

    def forward(self, ids, mask):
        x = self.layer(self.table(ids) + self.places(torch.arange(ids.shape[1])), src_key_padding_mask=mask == 0)
        return {"logits": self.out(x[:, 0])}


def test_an_encoder_with_a_class_token_and_a_mask():
    torch.manual_seed(0)
    ids = torch.tensor(
        [[2 + (3 * n + t) % 12 if t < length else PAD for t in range(7)] for n, length in enumerate(LENGTHS)]
    )
    model = Encoder()
    batch = {"ids": ids, "mask": (ids != PAD).long()}
    read = lambda out: out["logits"]  # noqa: E731
    common = dict(row=0, shuffles=3, search=3)
    check = fovea.check_classifier(model, batch, read, erase=GONE, **common)
    own = fovea.check_classifier(
        model, batch, read, erase=lambda given, keep: {**given, "ids": torch.where(keep, given["ids"], GONE)}, **common
    )
    assert check.figures == own.figures
    masked = fovea.check_classifier(
        model, batch, read, erase=lambda given, keep: {**given, "mask": given["mask"] * keep}, **common
    )
    assert masked.figures["comprehensiveness"] != check.figures["comprehensiveness"]
    assert [len(one) for one in check.attention] == LENGTHS and check.site == "layer.self_attn"
    assert check.adversary.shape == (4, 2, 1, 7)


def test_vectors_in_place_of_tokens_have_an_influence():
    model = nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True))
    check = fovea.check_classifier(model, torch.randn(4, 5, 8), lambda out: out[:, 0, :3], row=0, shuffles=3, search=0)
    assert "tau_gradient" in check.figures and "comprehensiveness" not in check.figures
