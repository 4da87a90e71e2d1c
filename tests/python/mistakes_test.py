"""What is asked wrongly is refused in words, and never computed as something else."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import fovea

COPY = dict(quick=True, steps=3, vocab=9, length=5, hidden=8, embedding=8)
CLASSIFIER = {"name": "gated-classifier", "hidden": 8, "embedding": 8}


def distance(queries, keys, w):
    return -abs(w) * np.abs(queries[:, None, 0] - keys[None, :, 0])


def test_a_sweep_takes_no_parts_in_python():
    spec = {"task": {"name": "curve"}, "model": {"name": "pooling", "similarity": fovea.Similarity(distance, w=1.0)}}
    with pytest.raises(fovea.WrongInput, match="cannot be kept: its spec does not describe it. Train them one by one"):
        fovea.sweep(spec, seeds=[0])
    own = fovea.Task(lambda split, seed, size: iter(()), vocab=9, classes=2)
    with pytest.raises(fovea.WrongInput, match="Train them one by one"):
        fovea.sweep({"task": own, "model": CLASSIFIER}, seeds=[0])
    assert len(fovea.store()) == 0


@pytest.mark.parametrize("dtype", [np.int64, np.uint64])
def test_whole_numbers_are_not_taken_by_their_lower_bits(dtype):
    run = fovea.run("copy-subset", **COPY)
    batch = {"source": np.array([[1, 2, 3]], dtype), "target": np.array([[1, 2, 3]], dtype)}
    run.apply(batch)
    batch["source"] = batch["source"] + dtype(2**32)
    with pytest.raises(fovea.WrongInput, match="'source' of the batch has 429496729[0-9], and must be"):
        run.apply(batch)
    with pytest.raises(fovea.WrongInput, match="the rows of 'source' of the batch are empty"):
        run.apply({"source": np.zeros((2, 0), int), "target": np.ones((2, 3), int)})


@pytest.mark.parametrize(
    "sizes, words",
    [
        (dict(vocab=-1, classes=2), "'vocab' of the task is -1"),
        (
            dict(vocab=2**40, classes=2),
            "'vocab' of the task is 1099511627776. It must be a whole number, 10000000 at most",
        ),
        (dict(vocab="9", classes=2), "'vocab' of the task is '9'. It must be a whole number"),
        (dict(vocab=9, classes=1), "'classes' of the task is 1. It must be 2 or more"),
        (
            dict(vocab=9, target_vocab=9, start_token=10**6, end_token=0, kind="token_pairs"),
            "'start_token' of the task is 1000000. It must be one",
        ),
    ],
)
def test_sizes_of_a_task_are_checked(sizes, words):
    with pytest.raises(fovea.WrongInput) as caught:
        fovea.run({"task": fovea.Task(lambda split, seed, size: iter(()), **sizes), "model": CLASSIFIER}, steps=2)
    assert words in str(caught.value)


def test_values_within_themselves_and_without_end():
    table, values = {}, []
    table["a"] = table
    values.append(values)
    with pytest.raises(fovea.WrongInput, match="lists and dicts within each other"):
        fovea.run(table)
    with pytest.raises(fovea.WrongInput, match="lists and dicts within each other"):
        fovea.run("toy-uniform", rate=values)
    with pytest.raises(fovea.WrongInput, match="has more than 1000000 entries"):
        fovea.run("toy-uniform", rate=iter(int, 1))


def test_a_store_needs_a_name():
    for use in (
        lambda: fovea.run("toy-uniform", store="", steps=2),
        lambda: fovea.store(""),
        lambda: fovea.sweep("toy-uniform", store=""),
    ):
        with pytest.raises(fovea.WrongInput, match="a store has an empty name"):
            use()


def test_predictions():
    with pytest.raises(fovea.WrongInput, match="needs at least one example"):
        fovea.predict("copy", vocab=6, length=6, draws=0)
    made = fovea.predict(["good film", "bad film", "good one", "bad one"] * 5, ["yes", "no", "yes", "no"] * 5)
    assert made.shade("").words == []


def test_an_audit_of_what_only_python_knows():
    run = fovea.run("copy-subset", intervene=lambda number: {"hold": "uniform"}, **COPY)
    with pytest.raises(fovea.WrongInput, match="cannot be trained again with the audit"):
        fovea.audit(run)
    run = fovea.run("copy-subset", intervene=lambda number: {"hold": "uniform"}, probes=["audit"], **COPY)
    assert len(fovea.audit(run).assumptions) == 5


def test_a_similarity_can_not_ask_the_model_that_asks_it():
    asked = []

    def comes_back(queries, keys, w):
        if asked:
            asked[0].apply({"keys": keys, "values": keys, "queries": queries})
        return distance(queries, keys, w)

    run = fovea.run(
        {
            "task": {"name": "curve"},
            "model": {"name": "pooling", "similarity": fovea.Similarity(comes_back, w=1.0)},
            "train": {"steps": 2},
            "probe": {"names": []},
        }
    )
    points = np.linspace(0, 1, 4, dtype=np.float32)[:, None]
    asked.append(run)
    with pytest.raises(Exception, match="this model is at work"):
        run.apply({"keys": points, "values": points, "queries": points})
    asked.clear()
    assert run.apply({"keys": points, "values": points, "queries": points})["predictions"].shape == (4, 1)


def python(code, **environment):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )


def test_a_daemon_thread_in_training_is_stopped_where_python_ends(tmp_path):
    store = str(tmp_path / "runs.db")
    code = f"""
import threading, fovea
begun = threading.Event()
threading.Thread(target=lambda: fovea.run("copy-subset", quick=True, steps=1000000, store={store!r}, on_step=lambda step: begun.set()),
                 daemon=True).start()
begun.wait()
"""
    ended = python(code)
    _, words = ended.communicate(timeout=600)
    assert ended.returncode == 0, words
    assert [run.state for run in fovea.store(store)] == ["stopped"]


def test_ctrl_c_ends_a_prediction():
    code = """
import signal, fovea
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
fovea.predict("copy", draws=200_000_000)
"""
    asked = python(code)
    assert asked.stdout.readline() == "ready\n"
    time.sleep(1)
    asked.send_signal(signal.SIGINT)
    _, words = asked.communicate(timeout=600)
    assert "KeyboardInterrupt" in words and asked.returncode != 0
