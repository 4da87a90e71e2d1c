from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

version: str

class Error(Exception):
    problem: str
    remedy: str
    place: str

class WrongInput(Error, ValueError): ...
class Failure(Error, RuntimeError): ...

def wrong_input(what: str, remedy: str ) -> WrongInput: ...
def failure(what: str, remedy: str ) -> Failure: ...

class SettingDescription(TypedDict):
    name: str
    kind: str
    help: str
    default: Any

class Description(TypedDict):
    name: str
    summary: str
    settings: list[SettingDescription]

def describe(what: str) -> list[Description]: ...
def suggest_name(word: str, candidates: Sequence[str]) -> str: ...

class Spec:
    seed: int
    hash: str
    def text(self) -> str: ...
    def table(self) -> dict[str, Any]: ...

class Plan:
    shape: str
    def __len__(self) -> int: ...
    def label(self, place: int) -> str: ...

class Experiment:
    name: str
    title: str
    idea: str
    seed: int
    task: dict[str, Any]
    model: dict[str, Any]
    def resolve(self, quick: bool, settings: dict[str, Any], seed: int) -> Spec: ...
    def plan(self, quick: bool, settings: dict[str, Any], axes: dict[str, Any], draws: int | None) -> Plan: ...

def find_experiment(name: str) -> Experiment: ...
def parse_experiment(spec: dict[str, Any], name: str) -> Experiment: ...

class Record:
    id: int
    experiment: str
    hash: str
    error: str
    version: str
    machine: str
    started: str
    seconds: float
    steps: int
    spec: Spec
    state: str
    metrics: dict[str, float]
    series_names: list[str]
    def series(self, name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
    def arrays(self) -> list[tuple[str, int, npt.NDArray[np.float32]]]: ...

def copies_made() -> int: ...

class InTraining:
    label: str
    step: int
    of: int

class Progress:
    total: int
    done: int
    reused: int
    failed: int
    stopped: int
    elsewhere: int
    seconds: float
    seconds_left: float
    left: int
    in_training: list[InTraining]

def run_kept(
    file: str,
    experiment: str,
    spec: Spec,
    *,
    again: bool,
    fresh: bool,
    checkpoint_every: float,
    progress: Callable[[Progress], None] | None,
    notice: Callable[[str], None] | None,
) -> tuple[list[Record | None], Progress, BaseException | None]: ...
def run_apart(
    spec: Spec, experiment: str, progress: Callable[[int, int], None] | None
) -> tuple[Record, BaseException | None]: ...
def sweep_kept(
    file: str,
    experiment: str,
    plan: Plan,
    *,
    jobs: int,
    again: bool,
    fresh: bool,
    retry_failed: bool,
    checkpoint_every: float,
    progress: Callable[[Progress], None] | None,
    notice: Callable[[str], None] | None,
) -> tuple[list[Record | None], Progress, BaseException | None]: ...
def default_store() -> str: ...
def store_find(file: str, id: int) -> Record | None: ...
def store_arrays(file: str, id: int, name: str) -> Record: ...
def store_query(file: str, *, where: str, experiment: str, sort: str, limit: int) -> list[Record]: ...
def store_count(file: str) -> int: ...
def store_remove(file: str, id: int) -> bool: ...
def store_names(file: str) -> tuple[list[str], list[str], list[str]]: ...
