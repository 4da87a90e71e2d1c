"""Arguments of a wrong type, nonsense, and words that are not there: one sentence says which, what it is, what is wanted."""

import warnings

import numpy as np
import pytest

import fovea

SMALL = dict(quick=True, steps=3, vocab=9, length=5, hidden=8, embedding=8)
TOY = dict(seeds=range(2), steps=3)


@pytest.fixture
def run():
    return fovea.run("copy-subset", **SMALL)


def store():
    return fovea.store()


def said(call, kind):
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert (
        "incompatible function" not in message and "C++" not in message and "\n" not in message and len(message) < 400
    ), message
    return message


WRONG_TYPES = [
    (lambda run: store()["a"], "the number of a run is 'a', of type str. It must be a whole number"),
    (lambda run: store()[1.5], "the number of a run is 1.5, of type float"),
    (lambda run: store()[True], "the number of a run is True, of type bool"),
    (lambda run: "a" in store(), "the number of a run is 'a', of type str"),
    (lambda run: store().remove(None), "the number of a run is None. It must be a whole number"),
    (lambda run: store().runs(3), "where is 3, of type int. It must be a text"),
    (lambda run: store().runs(sort=3), "sort is 3"),
    (lambda run: store().runs(experiment=3), "experiment is 3"),
    (lambda run: store().runs(limit="a"), "limit is 'a', of type str"),
    (lambda run: fovea.store(3), "store is 3, of type int. It must be a file's path"),
    (lambda run: fovea.run("toy-uniform", store=b"x"), "store is b'x', of type bytes"),
    (lambda run: fovea.predict(None), "data is None. It must be a list of texts, or the name of a task"),
    (lambda run: fovea.predict(3), "data is 3, of type int"),
    (lambda run: fovea.predict([1, 2], [0, 1]), "texts[0] is of type int, not str"),
    (lambda run: fovea.predict(["a", "b"], 3), "labels is 3, of type int. It must be a list of labels"),
    (lambda run: fovea.predict(["a", "b"], targets=3), "targets is 3, of type int. It must be a list of texts"),
    (lambda run: fovea.predict(["a", "b"], [[1], [2]]), "labels[0] is [1], of type list"),
    (lambda run: fovea.predict("copy", seed=1.5), "seed is 1.5, of type float"),
    (lambda run: fovea.predict("copy", draws="a"), "draws is 'a', of type str"),
    (lambda run: fovea.predict("copy", threads="a"), "threads is 'a', of type str"),
    (lambda run: fovea.predict("copy", quick="no"), "quick is 'no', of type str. It must be True or False"),
    (lambda run: fovea.predict("copy", set=3), "set is 3, of type int. It must be a dict"),
    (lambda run: fovea.predict("copy", set={5: 3}), "set has the key 5, of type int"),
    (lambda run: fovea.predict(["a b", "c d"] * 9, ["x", "y"] * 9).shade(3), "text is 3, of type int"),
    (
        lambda run: fovea.run(3),
        "the spec is 3, of type int. It must be an experiment's name, a spec file's path, or a dict",
    ),
    (lambda run: fovea.run(None), "the spec is None"),
    (lambda run: fovea.run(b"copy-subset"), "the spec is b'copy-subset'"),
    (lambda run: fovea.run({3: 4}), "the spec has the key 3"),
    (lambda run: fovea.run({"name": None, "task": {"name": "copy"}}), "the spec's name is None"),
    (
        lambda run: fovea.run("copy-subset", set={5: 3}),
        'set has the key 5, of type int. Keys must be texts, as "task.vocab"',
    ),
    (lambda run: fovea.run("copy-subset", set=3), "set is 3, of type int"),
    (lambda run: fovea.run("copy-subset", quick="no"), "quick is 'no', of type str. It must be True or False"),
    (lambda run: fovea.run("copy-subset", keep="no"), "keep is 'no', of type str. It must be True, False or None"),
    (lambda run: fovea.run("copy-subset", reuse=1), "reuse is 1, of type int"),
    (lambda run: fovea.run("copy-subset", ignore_checkpoint="a"), "ignore_checkpoint is 'a'"),
    (lambda run: fovea.run("copy-subset", progress="x"), "progress is 'x'"),
    (
        lambda run: fovea.run("copy-subset", seed=1.5),
        "seed is 1.5, of type float. It must be a whole number, 0 or more",
    ),
    (lambda run: fovea.run("copy-subset", seed=True), "seed is True, of type bool"),
    (
        lambda run: fovea.run("copy-subset", checkpoint_every="a"),
        "checkpoint_every is 'a', of type str. It must be a number above 0",
    ),
    (
        lambda run: fovea.run("copy-subset", probes=3),
        "probes is 3, of type int. It must be a list of names and of fovea.Probe",
    ),
    (lambda run: fovea.run("copy-subset", probes=[3]), "probes[0] is 3, of type int"),
    (
        lambda run: fovea.run("copy-subset", intervene={"hold": "uniform"}),
        "intervene is of type dict, which cannot be called",
    ),
    (lambda run: fovea.resume("a"), "the number of a run is 'a'"),
    (lambda run: fovea.resume(None), "the number of a run is None"),
    (lambda run: fovea.sweep(None), "the spec is None"),
    (lambda run: fovea.sweep("toy-uniform", seeds=[1.5]), "seeds[0] is 1.5, of type float"),
    (lambda run: fovea.sweep("toy-uniform", seeds={"a": 1}), "seeds is {'a': 1}, of type dict"),
    (lambda run: fovea.sweep("toy-uniform", jobs="a", **TOY), "jobs is 'a', of type str"),
    (lambda run: fovea.sweep("toy-uniform", jobs=1.5, **TOY), "jobs is 1.5, of type float"),
    (lambda run: fovea.sweep("toy-uniform", draws="a", **TOY), "draws is 'a', of type str"),
    (lambda run: fovea.sweep("toy-uniform", retrain="a", **TOY), "retrain is 'a', of type str"),
    (lambda run: fovea.sweep("toy-uniform", axes=3, **TOY), "axes is 3, of type int"),
    (lambda run: fovea.sweep("toy-uniform", axes={3: [1]}, **TOY), "axes has the key 3"),
    (
        lambda run: fovea.sweep("toy-uniform", axes={"train.rate": 3}, **TOY),
        "the axis 'train.rate' is 3, of type int. It must be a list of values",
    ),
    (lambda run: fovea.sweep("toy-uniform", **TOY)["a"], "the place in a table of runs is 'a'"),
    (lambda run: fovea.sweep("toy-uniform", **TOY).to_pandas(points=3), "points is 3"),
    (lambda run: fovea.audit("x"), "run is 'x', of type str. It must be a run"),
    (lambda run: fovea.audit(None), "run is None"),
    (lambda run: fovea.audit(run, store=3), "store is 3"),
    (lambda run: run.attention("a"), "step is 'a', of type str. It must be a whole number, 0 or more"),
    (lambda run: run.attention(1.5), "step is 1.5"),
    (lambda run: run.beta("a"), "step is 'a'"),
    (lambda run: run.apply(None), "the batch is None. It must be a dict"),
    (lambda run: run.apply([1]), "the batch is [1], of type list"),
    (lambda run: run.apply({"source": [[1]], "target": [[2]]}, beta="a"), "beta is 'a', of type str"),
    (lambda run: run.plot(["accuracy"]), "a metric is ['accuracy'], of type list"),
    (lambda run: fovea.from_torch(3), "module is 3, of type int. It must be a torch.nn.Module"),
    (lambda run: fovea.from_torch({3: np.zeros(3, np.float32)}), "module has the key 3"),
    (lambda run: fovea.describe(3), "what is 3, of type int"),
    (lambda run: fovea.Task(lambda split, seed, size: iter(()), kind=3), "kind is 3"),
    (lambda run: fovea.Task(3, vocab=9, classes=2), "batches is of type int, which cannot be called"),
    (lambda run: fovea.Similarity(3), "scores is of type int, which cannot be called"),
    (lambda run: fovea.Similarity(None), "scores is None"),
    (lambda run: fovea.Similarity(print, w=True), "the parameter 'w' is True"),
    (lambda run: fovea.Model({}, 3, {}), "shape is 3"),
]


@pytest.mark.parametrize("call, says", WRONG_TYPES, ids=[says for _, says in WRONG_TYPES])
def test_wrong_types_are_named(call, says, run):
    assert says.lower() in said(lambda: call(run), TypeError).lower()


NONSENSE = [
    (lambda: fovea.run("copy-subset", seed=-1, **SMALL), "seed is -1. It must be 0 or more"),
    (lambda: fovea.run("copy-subset", seed=2**70, **SMALL), "seed is 1180591620717411303424"),
    (
        lambda: fovea.run("copy-subset", checkpoint_every=float("nan"), **SMALL),
        "checkpoint_every is nan. It must be a number above 0",
    ),
    (lambda: fovea.run("copy-subset", checkpoint_every=-1, **SMALL), "checkpoint_every is -1"),
    (lambda: fovea.run("copy-subset", checkpoint_every=float("inf"), **SMALL), "checkpoint_every is inf"),
    (
        lambda: fovea.sweep("toy-uniform", jobs=-1, **TOY),
        "jobs is -1. It must be 1 or more; left out, one is trained on each core",
    ),
    (lambda: fovea.sweep("toy-uniform", jobs=0, **TOY), "jobs is 0"),
    (lambda: fovea.sweep("toy-uniform", draws=-1, **TOY), "draws is -1. It must be 1 or more"),
    (lambda: fovea.sweep("toy-uniform", checkpoint_every=0, **TOY), "checkpoint_every is 0"),
    (lambda: fovea.sweep("toy-uniform", seeds=[]), "there are no seeds"),
    (lambda: fovea.sweep("toy-uniform", seeds=-1), "seeds is -1. It must be 0 or more"),
    (lambda: fovea.sweep("toy-uniform", seeds=[0, -1]), "seeds[1] is -1"),
    (lambda: fovea.sweep("toy-uniform", rate=[], **TOY), "the axis 'train.rate' has no values"),
    (lambda: store().runs(limit=-5), "limit is -5. It must be 0 or more"),
    (lambda: fovea.predict("copy", draws=-1), "draws is -1"),
    (lambda: fovea.predict("copy", seed=-1), "seed is -1"),
    (lambda: fovea.predict("copy", threads=0), "threads is 0. It must be 1 or more"),
    (lambda: fovea.predict(["a b", "c d"], ["x", None]), "labels[1] is None"),
    (lambda: fovea.predict(["a b", "c d"], ["x", float("nan")]), "labels[1] is nan"),
    (lambda: fovea.Similarity(print, w=float("nan")), "the parameter 'w' is nan"),
    (lambda: fovea.from_torch({}), "there are no weights"),
    (lambda: fovea.run("toy-uniform", checkpoint_every=10**400), "checkpoint_every is 1000"),
    (lambda: fovea.run("copy-\ud800"), "the spec contains '\\ud800' at position 5, which is no letter"),
    (lambda: fovea.predict(["a\ud800b", "c"], ["a", "b"]), "texts[0] contains '\\ud800' at position 1"),
    (lambda: fovea.predict(["ab", "c"], ["a", "\ud800"]), "labels[1] contains '\\ud800' at position 0"),
    (
        lambda: fovea.run("copy-subset", optimizer="a\ud800"),
        "train.optimizer is 'a\\ud800', which has a character that is not a letter",
    ),
    (lambda: fovea.run("copy-subset", set={"a\ud800": 3}), "the name of a setting is 'a\\ud800'"),
    (lambda: fovea.run({"task": {"name": "copy", "\ud800": 3}}), "a key of task is '\\ud800'"),
    (lambda: fovea.run({"\ud800": 3}), "a key of the spec is '\\ud800'"),
    (lambda: fovea.run({"name": "", "task": {"name": "copy"}}), "the spec's name is empty"),
    (lambda: fovea.Model({}, {}, {}), "the shape has no kind"),
    (lambda: fovea.resume(fovea.run("copy-subset", keep=False, **SMALL)), "this run is not kept"),
]


@pytest.mark.parametrize("call, says", NONSENSE, ids=[says for _, says in NONSENSE])
def test_nonsense_is_refused(call, says):
    assert says in said(call, ValueError)


HINTS = [
    (lambda: fovea.sweep("toy-uniform", seed=3), "takes no 'seed'. Write seeds=range(10), or seeds=3 for one"),
    (lambda: fovea.sweep("toy-uniform", seedss=3), "Did you mean 'seeds'?"),
    (lambda: fovea.sweep("toy-uniform", jbos=3), "Did you mean 'jobs'?"),
    (lambda: fovea.sweep("toy-uniform", keep=False), "a sweep keeps its runs"),
    (lambda: fovea.sweep("toy-uniform", on_step=print), "takes no 'on_step'. Give it to fovea.run, which does"),
    (lambda: fovea.run("toy-uniform", seeds=3), "takes no 'seeds'. Write seed=…"),
    (lambda: fovea.run("toy-uniform", sed=3), "Did you mean 'seed'?"),
    (lambda: fovea.run("toy-uniform", qiuck=True), "Did you mean 'quick'?"),
    (lambda: fovea.run("toy-uniform", jobs=3), "fovea.run takes no 'jobs'. Give it to fovea.sweep, which does"),
    (lambda: fovea.run("toy-uniform", trian__rate=3), "Did you mean 'train.rate'?"),
]


@pytest.mark.parametrize("call, says", HINTS, ids=[says for _, says in HINTS])
def test_words_that_are_not_there_are_hinted_at(call, says):
    assert says.lower() in said(call, ValueError).lower()


def test_a_key_that_is_not_there_is_a_key_error(run):
    for call in (
        lambda: run.series[3],
        lambda: run.series.steps(3),
        lambda: fovea.audit(run)[3],
        lambda: store()[9],
        lambda: fovea.sweep("toy-uniform", **TOY).plot("acuracy"),
    ):
        said(call, KeyError)
    with pytest.raises(IndexError, match="no place 9 in a table of 2 runs"):
        fovea.sweep("toy-uniform", **TOY)[9]
    assert 3 not in run.series and run.id in store() and 9 not in store() and run in store()


def test_numbers_of_numpy_are_numbers():
    run = fovea.run("copy-subset", seed=np.int64(2), checkpoint_every=np.float32(5), **{**SMALL, "quick": np.True_})
    assert run.seed == 2 and store()[np.int32(1)].seed == 2 and len(run.attention(np.int64(3))) == 4
    for seeds in ([0, 1], (0, 1), {0, 1}, iter([0, 1]), np.arange(2), "0..1", range(2)):
        assert [each.seed for each in fovea.sweep("toy-uniform", seeds=seeds, steps=3, jobs=np.int64(1))] == [0, 1]
    assert [each.seed for each in fovea.sweep("toy-uniform", seeds=3, steps=3)] == [3]


def stopped():
    def stop(step):
        if step.number == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", on_step=stop, **SMALL)


@pytest.mark.parametrize(
    "go_on",
    [
        lambda: fovea.run("copy-subset", **SMALL),
        lambda: fovea.resume(1),
        lambda: fovea.sweep("copy-subset", seeds=[0], **SMALL),
    ],
    ids=["run", "resume", "sweep"],
)
def test_warnings_point_at_the_callers_line(go_on):
    stopped()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        go_on()
    assert [(warning.category, warning.filename) for warning in caught] == [(UserWarning, __file__)]
    assert caught[0].lineno == go_on.__code__.co_firstlineno
