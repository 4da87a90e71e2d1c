"""Ctrl-C, threads, forks, and a thousand runs."""

import gc
import os
import signal
import threading

import pytest
from other_process import python

import fovea

LONG = dict(quick=True, steps=100_000, hidden=16, embedding=16, batch=8, vocab=12, length=8)
TOY = dict(keep=False)


def test_ctrl_c_leaves_a_run_that_the_same_call_goes_on_with(pressed_at):
    settings = {**LONG, "steps": 5000, "every": 1000}
    pressed_at(50)
    with pytest.raises(
        KeyboardInterrupt,
        match=r"stopped after (\d+) steps; the run is stored as run 1, and the same call continues it",
    ):
        fovea.run("copy-subset", **settings)
    with pytest.warns(UserWarning, match="continues from step .* stopped"):
        resumed = fovea.run("copy-subset", **settings)
    assert (resumed.id, resumed.state, resumed.steps) == (1, "done", 5000)
    whole = fovea.run("copy-subset", keep=False, **settings)
    for name in whole.series:
        assert resumed.series[name].tobytes() == whole.series[name].tobytes(), name


@pytest.mark.parametrize("keep", [True, False])
def test_ctrl_c_stops_at_the_end_of_the_step(pressed_at, keep):
    """The step in which it is pressed is the last one."""
    steps = []

    def press(step):
        steps.append(step.number)
        if step.number == 7:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", keep=keep, on_step=press, **LONG)
    assert steps == list(range(8))
    if keep:
        stopped = fovea.store()[1]
        assert (stopped.state, stopped.steps) == ("stopped", 8)


def test_ctrl_c_of_a_run_that_is_not_kept(pressed_at):
    pressed_at(10)
    with pytest.raises(KeyboardInterrupt):
        fovea.run("copy-subset", keep=False, **LONG)


def test_somebody_elses_handler_is_left_alone():
    heard = []
    before = signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
        timer.start()
        run = fovea.run("copy-subset", keep=False, **{**LONG, "steps": 2000})
        timer.join()
    finally:
        signal.signal(signal.SIGINT, before)
    assert run.state == "done" and heard == [1]


def test_two_threads_run_two_experiments_at_once():
    settings = [dict(seed=seed, **{**LONG, "steps": 300}) for seed in range(4)]
    alone = [fovea.run("copy-subset", keep=False, **each) for each in settings]
    together = [None] * 4

    def work(place):
        together[place] = fovea.run("copy-subset", keep=place % 2 == 0, **settings[place])

    threads = [threading.Thread(target=work, args=(place,)) for place in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one, other in zip(alone, together):
        for name in one.series:
            assert one.series[name].tobytes() == other.series[name].tobytes()


def test_training_leaves_other_threads_running():
    """The GIL is free while the engine trains: a Python loop gets along meanwhile."""
    over = threading.Event()
    turns = [0]

    def count():
        while not over.is_set():
            turns[0] += 1

    counter = threading.Thread(target=count)
    counter.start()
    before = turns[0]
    try:
        fovea.run("copy-subset", keep=False, **{**LONG, "steps": 1000})
    finally:
        over.set()
        counter.join()
    assert turns[0] - before > 1000


@pytest.mark.parametrize("keep", [True, False])
def test_a_fork_after_import_works(keep):
    done = python(f"""
        import os, fovea
        settings = dict(quick=True, steps=50, hidden=8, embedding=8, vocab=12, length=8)
        whole = fovea.run("copy-subset", **settings).series["train_loss"].tobytes()
        child = os.fork()
        if child == 0:
            again = fovea.run("copy-subset", keep={keep}, **settings).series["train_loss"].tobytes()
            os._exit(0 if again == whole else 3)
        assert os.waitpid(child, 0)[1] == 0
        """)
    assert done.returncode == 0, done.stderr


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_thousand_runs_leak_nothing():
    def some(count):
        for seed in range(count):
            run = fovea.run("toy-uniform", seed=seed, keep=seed % 10 == 0, steps=100)
            run.series["loss"].sum()
        gc.collect()

    some(100)
    before = resident()
    some(1000)
    assert resident() < before * 1.05
