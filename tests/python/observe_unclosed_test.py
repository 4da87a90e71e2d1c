"""A watch that nobody closes: its run is kept, and its model let go."""

import gc
import os
import subprocess
import sys
import weakref

import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, observe, right  # noqa: E402

SCRIPT = """
import sys, torch, fovea

def training():
    model, x = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), torch.randn(4, 6, 8)
    answer = lambda out: out.log_softmax(-1)[..., 0]
    watch = fovea.observe(model, x, answer, every=1, beta=None, share=None, name="mine")
    for _ in range(3):
        answer(model(x)).mean().backward()
        watch.step()
    %s

training()
"""


def stepped(watch, times=1):
    for _ in range(times):
        right(TARGET)(watch._observed.model()).mean().backward()
        watch.step()
    return watch


@pytest.mark.parametrize(
    "end, states",
    [
        ("raise KeyboardInterrupt", ["stopped"]),
        ("sys.exit(2)", ["stopped"]),
        ("pass", ["stopped"]),
        ("watch.close()", ["done"]),
    ],
)
def test_what_was_seen_is_kept_when_python_ends(end, states):
    done = subprocess.run([sys.executable, "-c", SCRIPT % end], capture_output=True, text=True, env=dict(os.environ))
    assert [run.state for run in fovea.store()] == states
    said = [line for line in done.stderr.splitlines() if line.startswith("fovea: ")]
    if states == ["done"]:
        assert said == []
        return
    assert fovea.store().runs()[0].series.steps("loss").tolist() == [0, 1, 2]
    assert said == [
        "fovea: the watch of 'mine' was never closed: its data of 3 evaluations is kept as run 1, stopped at update 3. "
        'Write "with fovea.observe(…) as watch:", which closes it'
    ]


def test_a_store_that_fails_then_is_told_and_raises_nothing():
    end = "type(watch._persistence._store).add = lambda *args, **more: 1 / 0"
    done = subprocess.run([sys.executable, "-c", SCRIPT % end], capture_output=True, text=True, env=dict(os.environ))
    assert (
        done.returncode == 0
        and "its data of 3 evaluations could not be kept (division by zero)" in done.stderr
        and "Traceback" not in done.stderr
    )


def test_a_watch_that_is_dropped_lets_its_model_go_and_is_kept_when_the_next_begins(capsys):
    model = GPT()
    gone = weakref.ref(model)
    watch = stepped(observe(model, every=1, beta=None), 2)
    del model, watch
    gc.collect()
    assert gone() is None and len(fovea.store()) == 0
    watch = observe(GPT(), beta=None)
    assert [(run.state, run.steps) for run in fovea.store()] == [("stopped", 2)]
    assert "kept as run 1, stopped at update 2" in capsys.readouterr().err
    del watch  # it saw nothing
    observe(GPT(), beta=None).close()
    assert len(fovea.store()) == 2


def test_a_watch_that_another_went_on_from_is_not_kept_beside_it(capsys):
    first = stepped(observe(GPT(), every=1, beta=None))
    state = first.state_dict()
    again = observe(GPT(), every=1, beta=None)
    again.load_state_dict(state)
    del first
    stepped(again)
    assert again.close().steps == 2
    third = observe(GPT(), every=1, beta=None)
    third.load_state_dict(state)
    del third  # it made no look of its own, and the run is whole
    gc.collect()
    observe(GPT(), beta=None)
    assert [(run.state, run.steps) for run in fovea.store()] == [
        ("done", 2)
    ] and "never closed" not in capsys.readouterr().err
