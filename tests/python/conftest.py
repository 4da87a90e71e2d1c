"""A store of its own for every test, and the program to compare with."""

import importlib.util
import json
import os
import pathlib
import signal
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


SKIPPED = []  # tests of the engine of PyTorch, although PyTorch is there


def note_skipped(report):
    if report.skipped and "torch_engine_test" in report.nodeid and importlib.util.find_spec("torch"):
        SKIPPED.append(report.nodeid)


pytest_collectreport = pytest_runtest_logreport = note_skipped


def pytest_sessionfinish(session):
    if SKIPPED:
        print(f"\nPyTorch is installed, and these tests of its engine were skipped: {', '.join(SKIPPED)}")
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("FOVEA_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture(scope="session")
def program():
    """fovea WORDS… as a function that gives its JSON; program.path is where it lies."""
    path = pathlib.Path(os.environ.get("FOVEA_PROGRAM", ROOT / "build" / "fovea"))
    if not path.exists():
        pytest.fail(f"{path} is not built; ./test builds it, or set FOVEA_PROGRAM")

    def run(*words):
        done = subprocess.run([path, *map(str, words), "--json"], capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    run.path = path
    return run


@pytest.fixture
def pressed_at(monkeypatch):
    """Presses Ctrl-C when a bar is told of so many steps, or runs."""
    from fovea.progress import Bar

    def press(when):
        reach = Bar.reach

        def pressing(self, done, of, words=""):
            if done >= when:
                monkeypatch.setattr(Bar, "reach", reach)
                signal.raise_signal(signal.SIGINT)

        monkeypatch.setattr(Bar, "reach", pressing)

    # What runs in the background may have been started deaf to Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield press
    signal.signal(signal.SIGINT, before)


class Clock:
    """Seconds that a test makes: a pass over what is evaluated takes one, or as many as the test says."""

    seconds, a_pass = 0.0, 1.0


@pytest.fixture
def clock(monkeypatch):
    """The clock of a watch, for what depends on time to be the same on every machine."""
    pytest.importorskip("torch")
    from fovea.torch import clock as clocks
    from fovea.torch.model import Model

    clock, call = Clock(), Model.__call__
    monkeypatch.setattr(clocks, "seconds", lambda: clock.seconds)

    def counted(self, *batch):
        clock.seconds += clock.a_pass
        return call(self, *batch)

    monkeypatch.setattr(Model, "__call__", counted)
    return clock
