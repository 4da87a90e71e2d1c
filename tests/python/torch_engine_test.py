"""Runs whose gradients PyTorch computes, against runs of the engine."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import fovea

torch = pytest.importorskip("torch")

SMALL = {"hidden": 8, "embedding": 6}
COPY = {"name": "copy", "vocab": 9, "length": 5}
WORDS = {"name": "keyword", "vocab": 9, "length": 6}
STREAM = {"name": "markov-icl", "states": 3, "length": 12}
LAYERS = {"name": "transformer", "width": 8, "heads": 2, "layers": 2, "start": 0.4}
SEQ2SEQ = {"name": "seq2seq", **SMALL}
NAMES = {"name": "made-names", "words": 9}
SPANS = {"name": "spans", "vocab": 5}
CHAIN = {"name": "higher-order-chain", "states": 3, "length": 12}
INDUCTION = {"name": "induction", "vocab": 9, "length": 8}
MARGIN = {"name": "max-margin"}

MODELS = {
    "seq2seq": (COPY, SEQ2SEQ),
    "seq2seq-heads": (COPY, {"name": "seq2seq-heads", **SMALL, "heads": [0, 3]}),
    "gated-classifier": (WORDS, {"name": "gated-classifier", **SMALL}),
    "word-mean": (WORDS, {"name": "word-mean", "embedding": 4}),
    "word-mean-translator": (COPY, {"name": "word-mean-translator", "embedding": 4}),
    "word-attention": (WORDS, {"name": "word-attention", "embedding": 4, "hidden": [5], "item_norm": True}),
    "unigram-gate": (WORDS, {"name": "unigram-gate", "beta_spread": 0.3, "logit_spread": 0.3}),
    "toy-gate": ({"name": "two-sequences"}, {"name": "toy-gate", "beta0": 0.1}),
    "transformer": (STREAM, LAYERS),
    "disentangled": ({"name": "causal-tree"}, {"name": "disentangled"}),
    "feature-attention": ({"name": "feature-mean", "width": 6}, {"name": "feature-attention", "hidden": [5]}),
    "pooling": ({"name": "curve"}, {"name": "pooling", "similarity": "general"}),
    "linear-attention": ({"name": "linear-icl"}, {"name": "linear-attention", "start": 0.3}),
    "linear-attention separate": (
        {"name": "linear-icl"},
        {"name": "linear-attention", "form": "separate", "start": 0.3},
    ),
    "product": ({"name": "product"}, {"name": "product"}),
    "race-product": ({"name": "race-product"}, {"name": "race-product", "given": True}),
    "rank-one-attention": (
        {"name": "position-or-meaning", "width": 12, "samples": 0},
        {"name": "rank-one-attention", "start": 0.5},
    ),
    "sparse-attention": ({"name": "sparse-emergence"}, {"name": "sparse-attention", "shared": True}),
    "logistic-attention": (MARGIN, {"name": "logistic-attention", "start": 0.3}),
    "logistic-attention separate": (MARGIN, {"name": "logistic-attention", "form": "separate"}),
    "position-heads": (SPANS, {"name": "position-heads", "start": 0.3}),
    "position-match": (CHAIN, {"name": "position-match", "start": 0.3}),
    "induction-exact": (INDUCTION, {"name": "induction-exact", "copy": 2}),
    "induction-exact frozen": (INDUCTION, {"name": "induction-exact", "copy": 2, "frozen": ["output", "lags"]}),
    "linear-tagger": (NAMES, {"name": "linear-tagger", "reach": 2}),
    "window-tagger": (NAMES, {"name": "window-tagger", **SMALL}),
    "recurrent-tagger": (NAMES, {"name": "recurrent-tagger", **SMALL}),
    "recurrent-tagger gru": (NAMES, {"name": "recurrent-tagger", **SMALL, "cell": "gru", "attention": "uniform"}),
}
# Of models whose tasks have many settings, an experiment.
EXPERIMENTS = {
    "address-attention": ("prefetch-cycle", {"experts": 3, "hidden": 6}),
    "glimpse": ("glimpse-plain", {"batch": 8}),
}

INTERVENTIONS = [
    ("seq2seq", {"hold": "uniform"}),
    ("seq2seq", {"hold": "truth"}),
    ("seq2seq", {"scale": 2.0}),
    ("seq2seq-heads", {"hold": "uniform", "of": "layer.1.head.2"}),
    ("transformer", {"hold": "previous", "of": "layer.1.head.2"}),
    ("transformer", {"hold": "first", "of": "layer.2.head.1"}),
    ("transformer", {"ablate": "layer.2.head.1"}),
    ("transformer", {"copy": 1.5, "of": "layer.2.head.1"}),
    ("transformer", {"noise": 0.5, "of": "layer.1.head.1"}),
    ("transformer", {"temperature": 0.5, "of": "layer.1.head.2"}),
    ("disentangled", {"temperature": 0.5}),
    ("seq2seq", {"freeze": "attention", "until": 5}),
    ("seq2seq", {"rate": 0.1, "of": "attention"}),
    ("toy-gate", {"clamp": "p", "at": 0.4, "until": 10}),
    ("pooling", {"hold": "uniform", "until": 5}),
    ("sparse-attention", {"hold": "truth", "until": 5}),
    ("rank-one-attention", {"hold": "uniform", "until": 5}),
    ("logistic-attention", {"hold": "uniform", "until": 5}),
    ("position-heads", {"hold": "previous", "of": "layer.1.head.2"}),
    ("position-heads", {"noise": 0.5, "of": "layer.1.head.1"}),
    ("position-heads", {"ablate": "layer.1.head.3"}),
    ("position-match", {"temperature": 0.5, "of": "layer.1.head.2"}),
    ("position-match", {"hold": "first", "of": "layer.2.head.1", "until": 5}),
    ("induction-exact", {"hold": "previous", "of": "layer.1.head.1"}),
    ("induction-exact", {"temperature": 0.5, "of": "layer.2.head.1"}),
    ("window-tagger", {"hold": "truth", "until": 10}),
    ("window-tagger", {"scale": 2.0}),
    ("recurrent-tagger", {"hold": "uniform"}),
    ("recurrent-tagger", {"scale": 2.0}),
]


def spec_of(task, model, precision, intervene=()):
    points = model["name"] in (
        "pooling",
        "linear-attention",
        "product",
        "race-product",
        "rank-one-attention",
        "sparse-attention",
        "logistic-attention",
    )
    return {
        "task": task,
        "model": model,
        "train": {
            "steps": 20,
            "batch": 1 if model["name"] in ("pooling", "product", "race-product") else 8,
            "rate": 1e-2,
            "precision": precision,
            "keep_weights": "always",
            # Adam divides a gradient of rounding alone by its own size: parameters without a gradient would differ.
            **({"optimizer": "sgd"} if model["name"] in ("disentangled", "linear-tagger") else {}),
        },
        "probe": {"names": [] if points else ["loss"], "every": 1},
        "intervene": list(intervene),
    }


def close(spec, within, keep=False, **settings):
    ours, theirs = (
        fovea.run(spec, keep=keep, progress=False, **settings, **more) for more in ({}, {"engine": "torch"})
    )
    near = 1e-9 if within == "double" else 1e-5
    a, b = (np.array(run.series["train_loss"]) for run in (ours, theirs))
    assert len(a) == 20
    np.testing.assert_allclose(b, a, rtol=near, atol=near * 1e-3)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("name", MODELS)
def test_the_first_losses_are_the_engines(name, precision):
    close(spec_of(*MODELS[name], precision), precision)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_the_first_losses_of_experiments_are_the_engines(name, precision):
    experiment, settings = EXPERIMENTS[name]
    close(experiment, precision, quick=True, steps=20, every=1, precision=precision, names=["loss"], **settings)


@pytest.mark.parametrize("precision", ["float", "double"])
@pytest.mark.parametrize("name, intervention", INTERVENTIONS, ids=str)
def test_interventions(name, intervention, precision):
    close(spec_of(*MODELS[name], precision, [intervention]), precision)


@pytest.mark.parametrize("precision", ["float", "double"])
def test_several_interventions_at_once(precision):
    hold = {"hold": "previous", "of": "layer.1.head.2", "until": 15}
    close(
        spec_of(*MODELS["transformer"], precision, [hold, {"freeze": "embedding"}, {"ablate": "layer.2.head.1"}]),
        precision,
    )


@pytest.mark.parametrize("precision", ["float", "double"])
def test_a_transplant(precision):
    donor = fovea.run(spec_of(*MODELS["seq2seq"], precision), seed=1)
    transplant = {"transplant": donor.id, "of": "attention", "at": 3}
    close(spec_of(*MODELS["seq2seq"], precision, [transplant]), precision, keep=True)


def test_embeddings_of_a_file(tmp_path):
    (tmp_path / "vectors.txt").write_text("cat 1 0 1 0\nsaw 0 1 0 1\n")
    texts = {"name": "given-texts", "texts": ["the cat", "the saw"] * 10, "labels": ["animal", "tool"] * 10}
    model = {"name": "gated-classifier", "hidden": 4, "embedding": 4}
    close(spec_of(texts, model, "double", [{"embeddings": str(tmp_path / "vectors.txt")}]), "double")


def test_every_model_is_tested():
    tested = {model["name"] for _, model in MODELS.values()} | set(EXPERIMENTS) | {"bag-attention", "bag-flat"}
    from fovea.torch.makers import _ALL

    assert set(_ALL) == tested
    assert {model["name"] for model in fovea.describe("models")} - set(_ALL) == {"python-pooling"}


def test_a_model_without_module_is_refused_once_and_nothing_is_kept(program, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("from fovea.torch.makers import _ALL\ndel _ALL['toy-gate']\n")
    words = [program.path, "sweep", "toy-uniform", "--seeds", "0..2", "--engine", "torch"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    environment["FOVEA_PYTHON"] = sys.executable
    done = subprocess.run(words, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert "model 'toy-gate' has no module of PyTorch. Use another model, or" in done.stderr
    assert done.stderr.count("module") == 1 and ".." not in done.stderr
    assert len(fovea.store().runs()) == 0


def test_every_kind_of_intervention_is_tested():
    tested = {word for _, one in INTERVENTIONS for word in one} | {"transplant", "embeddings"}
    assert {kind["name"] for kind in fovea.describe("interventions")} <= tested


@pytest.mark.parametrize(
    "model", [{"name": "bag-attention", "hidden": [5], "item_norm": True}, {"name": "bag-flat", "hidden": [5]}]
)
def test_bags_of_ones_own(model):
    def bags(split, seed, size):
        random = np.random.default_rng([seed, len(split)])
        while True:
            items = random.normal(size=(size, 3, 4))
            yield {"items": items, "lengths": random.integers(1, 4, size), "labels": (items[:, 0, 0] > 0).astype(int)}

    task = fovea.Task(bags, kind="labelled_bags", width=4, classes=2, most_items=3)
    close(spec_of(task, model, "double"), "double")


def test_engine_and_device_are_settings_of_the_run():
    plain = fovea.run("toy-uniform", steps=3)
    one = fovea.run("toy-uniform", steps=3, engine="torch")
    other = fovea.run("toy-uniform", steps=3, engine="torch", device="cpu")
    assert len({str(run.spec) for run in (plain, one, other)}) == 3
    assert "engine" not in plain.spec["train"] and one.spec["train"]["engine"] == "torch"


def test_sweeps_train_by_it():
    table = fovea.sweep("toy-uniform", seeds=range(3), steps=5, engine="torch", jobs=2)
    assert [run.state for run in table] == ["done"] * 3


def test_a_device_that_is_not_there_is_named_and_nothing_is_kept():
    if torch.cuda.is_available():
        return
    with pytest.raises(fovea.WrongInput, match="no device 'cuda'"):
        fovea.run("toy-uniform", steps=3, engine="torch", device="cuda")
    assert len(fovea.store().runs()) == 0


def test_dropout_is_refused():
    with pytest.raises(fovea.WrongInput, match="no dropout"):
        fovea.run(spec_of(COPY, {**SEQ2SEQ, "dropout": 0.5}, "float"), engine="torch")


def test_callbacks_are_refused():
    with pytest.raises(fovea.WrongInput, match="update by update"):
        fovea.run("toy-uniform", steps=3, engine="torch", on_step=print)


RUN = """
import sys, fovea
fovea.run("copy-subset", quick=True, steps=400, names=["accuracy"], keep_weights="always", engine="torch", checkpoint_every=1e-3, progress=False)
"""


def test_a_killed_run_resumes_bit_for_bit(tmp_path, monkeypatch):
    settings = {
        "quick": True,
        "steps": 400,
        "names": ["accuracy"],
        "keep_weights": "always",
        "engine": "torch",
        "progress": False,
    }
    whole = fovea.run("copy-subset", store=tmp_path / "whole.db", **settings)
    child = subprocess.Popen([sys.executable, "-c", RUN], env=os.environ)
    deadline = time.monotonic() + 120
    while (
        not list(tmp_path.rglob("checkpoints/*.safetensors")) and time.monotonic() < deadline and child.poll() is None
    ):
        time.sleep(0.05)
    child.send_signal(signal.SIGKILL)
    child.wait()
    resumed = fovea.run("copy-subset", **settings)
    for name, values in whole.weights().items():
        assert resumed.weights()[name].tobytes() == values.tobytes(), name
    assert resumed.series["train_loss"].tobytes() == whole.series["train_loss"].tobytes()


def test_without_pytorch_the_error_names_it_and_nothing_is_kept(tmp_path):
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "torch.py").write_text("raise ImportError('hidden')\n")
    code = "import fovea; fovea.run('toy-uniform', steps=3, engine='torch', progress=False)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(hidden), *sys.path])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.returncode != 0
    assert "needs PyTorch" in done.stderr and "pip install torch" in done.stderr
    assert len(fovea.store().runs()) == 0


def test_the_program_starts_the_python_that_is_named(program):
    words = [program.path, "run", "toy-uniform", "--set", "train.steps=3", "--engine", "torch", "--quiet"]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(words, env=environment | {"FOVEA_PYTHON": sys.executable}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    refused = subprocess.run(words, env=environment | {"FOVEA_PYTHON": "/no/python"}, capture_output=True, text=True)
    assert refused.returncode == 1
    assert "FOVEA_PYTHON names '/no/python', which cannot be started" in refused.stderr
    assert [run.spec["train"]["engine"] for run in fovea.store().runs()] == ["torch"]
