from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

version: str

class Error(Exception):
    problem: str
    remedy: str
    place: str
    nearest: str

class WrongInput(Error, ValueError): ...
class WrongType(WrongInput, TypeError): ...
class Failure(Error, RuntimeError): ...

def wrong_input(what: str, remedy: str) -> WrongInput: ...
def wrong_type(what: str, remedy: str) -> WrongType: ...
def failure(what: str, remedy: str) -> Failure: ...
def remedies(arguments: Sequence[Any]) -> list[str]: ...

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
def report_old_name(kind: str, name: str) -> str: ...
def listen_for_old_names(listener: Callable[[str, str], None]) -> None: ...
def suggest_name(word: str, candidates: Sequence[str]) -> str: ...

class Spec:
    seed: int
    hash: str
    def text(self) -> str: ...
    def table(self) -> dict[str, Any]: ...
    def with_similarity(self, key: str) -> Spec: ...

class ResolvedRun:
    spec: Spec
    def __init__(self, spec: Spec) -> None: ...

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
    def resolve(self, quick: bool, settings: dict[str, Any], seed: int) -> ResolvedRun: ...
    def probe_table(self, quick: bool, settings: dict[str, Any]) -> dict[str, Any]: ...
    def first_values(self, quick: bool, settings: dict[str, Any]) -> dict[str, Any]: ...
    def left_out(self, quick: bool, settings: dict[str, Any]) -> list[str]: ...
    def plan(self, quick: bool, settings: dict[str, Any], axes: dict[str, Any], draws: int | None) -> Plan: ...

def find_experiment(name: str) -> Experiment: ...
def parse_experiment(spec: dict[str, Any], name: str) -> Experiment: ...

class Record:
    id: int
    experiment: str
    hash: str
    error: str
    version: str
    arithmetic: int  # its revision
    machine: str
    started: str
    seconds: float
    steps: int
    spec: Spec
    state: str
    telling_metrics: list[str]  # the most telling first
    attention_axes: str  # what its rows and columns are, in words
    metrics: dict[str, float]
    series_names: list[str]
    def series(self, name: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]: ...
    def arrays(self) -> list[tuple[str, int, npt.NDArray[np.float32]]]: ...

class Step:
    """An update whose gradients are there, before the parameters move; good during the callback alone. Arrays that are taken
    from it are the engine's own memory, read-only: attention and β stay as they are, parameters and gradients go on with
    the training."""

    number: int
    of: int
    loss: float
    attention: npt.NDArray[Any] | None
    beta: npt.NDArray[Any] | None
    parameters: dict[str, npt.NDArray[Any]]
    gradients: dict[str, npt.NDArray[Any]]
    source: npt.NDArray[np.int32] | None
    target: npt.NDArray[np.int32] | None
    labels: npt.NDArray[np.int32] | None

def add_task(name: str, shape: dict[str, Any], batch: Callable[[str, int, int, int], dict[str, Any]]) -> str: ...
def remove_task(key: str) -> BaseException | None: ...

class ProbeBatch:
    """The examples of an evaluation, as a probe sees them; good during its call alone. Arrays are copies; None: it has none."""

    size: int
    source: npt.NDArray[np.int32] | None
    target: npt.NDArray[np.int32] | None
    labels: npt.NDArray[np.int32] | None
    alignment: npt.NDArray[np.int32] | None
    marked: npt.NDArray[np.uint8] | None
    items: npt.NDArray[np.float32] | None
    lengths: npt.NDArray[np.int32] | None
    keys: npt.NDArray[np.float32] | None
    values: npt.NDArray[np.float32] | None
    queries: npt.NDArray[np.float32] | None
    answers: npt.NDArray[np.float32] | None

class ProbeOutcome:
    """What the model makes of the examples; likewise."""

    loss: float
    scores: npt.NDArray[np.float32] | None
    answers: npt.NDArray[np.int32] | None
    attention: Any  # npt.NDArray[np.float32], or None of a model without attention
    heads: dict[str, npt.NDArray[np.float32]]
    predictions: npt.NDArray[np.float32] | None
    beta: Any  # as attention, where the probe asks for it

class ProbeModel:
    """The model as it is now; likewise."""

    step: int
    parameters: dict[str, npt.NDArray[np.float32]]

def add_similarity(
    name: str,
    scores: Callable[..., Any],
    gradient: Callable[..., Any] | None,
    parameters: list[tuple[str, list[int], float]],
) -> str: ...
def similarity_error(key: str) -> BaseException | None: ...
def remove_similarity(key: str) -> None: ...

class Applied:
    def __init__(
        self, spec: Spec, shape: dict[str, Any] | None, weights: dict[str, npt.NDArray[Any]], double: bool
    ) -> None: ...
    sizes: dict[str, int]
    def forward(self, batch: dict[str, Any], with_beta: bool) -> dict[str, Any]: ...
    def beta_of_examples(self, count: int) -> npt.NDArray[Any] | None: ...

def has_audit(run: Record) -> bool: ...
def first_difference(run: Record, again: Record) -> str: ...
def with_audit(spec: Spec) -> ResolvedRun: ...
def audit_lines(run: Record) -> list[tuple[str, str, float, str]]: ...

class Predicted:
    classes: bool
    examples: int
    signal: float
    error: float
    verdict: str
    says: str
    because: str
    outputs: list[
        tuple[str, float, list[tuple[str, float]], list[tuple[str, float, float, float]], list[tuple[str, str]]]
    ]
    halves: tuple[float, float, float]
    json: str
    def course(self) -> dict[str, npt.NDArray[np.float64]]: ...
    def shade(self, text: str, answer: str) -> tuple[list[str], list[str], list[list[float]]]: ...
    def text(self) -> str: ...

def predict_texts(
    texts: list[str], answers: list[str], classes: bool, threads: int, most_words: int = ...
) -> Predicted: ...
def cut_words(text: str) -> list[str]: ...

class WordRegression:
    def __init__(self, texts: list[list[int]], labels: list[int], words: int, classes: int) -> None: ...
    def scores(self, texts: list[list[int]], classes: int) -> npt.NDArray[np.float64]: ...
    def parts(self, text: list[int], label: int) -> list[float]: ...
    def weight(self, word: int, label: int) -> float: ...

class PredictedAccesses:
    trained_on: int
    asked: int
    fitted: tuple[int, int]
    scored: tuple[int, int]
    told: float
    told_page: float
    told_offset: float
    in_window: float
    interval: tuple[float, float]
    enough: bool
    new_pages: float
    tables: dict[str, float]
    def text(self) -> str: ...

def predict_task(
    name: str, quick: bool, settings: dict[str, Any], seed: int, draws: int, threads: int, most_words: int
) -> tuple[Predicted | PredictedAccesses, dict[str, Any]]: ...

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

Weights = dict[str, npt.NDArray[Any]]

def run_kept(
    file: str,
    experiment: str,
    run: ResolvedRun,
    *,
    retrain: bool,
    ignore_checkpoint: bool,
    checkpoint_every: float,
    progress: Callable[[Progress], None] | None,
    notice: Callable[[str], None] | None,
    on_step: Callable[[Step], None] | None,
) -> tuple[list[Record | None], Progress, Weights | None, BaseException | None]: ...
def run_apart(
    run: ResolvedRun,
    experiment: str,
    *,
    progress: Callable[[int, int], None] | None,
    on_step: Callable[[Step], None] | None,
    intervene: Callable[[int], Any] | None,
) -> tuple[Record, Weights | None, BaseException | None]: ...
def sweep_kept(
    file: str,
    experiment: str,
    plan: Plan,
    *,
    jobs: int,
    retrain: bool,
    ignore_checkpoint: bool,
    retry_failed: bool,
    checkpoint_every: float,
    progress: Callable[[Progress], None] | None,
    notice: Callable[[str], None] | None,
) -> tuple[list[Record | None], Progress, Weights | None, BaseException | None]: ...
def default_store() -> str: ...
def store_find(file: str, id: int) -> Record | None: ...
def store_arrays(file: str, id: int, name: str) -> Record: ...
def store_weights(file: str, run: Record) -> Weights | None: ...
def store_query(file: str, *, where: str, experiment: str, sort: str, limit: int) -> list[Record]: ...
def store_count(file: str) -> int: ...
def store_remove(file: str, id: int) -> bool: ...
def store_names(file: str) -> tuple[list[str], list[str], list[str]]: ...

class Probes:
    """Probes of the library for attention that another program has made; kind: "token_pairs" or "token_streams"."""

    def __init__(self, names: Sequence[str], kind: str) -> None: ...
    def measure(
        self, first: bool, parts: dict[str, npt.NDArray[Any]], step: int = 0, last: bool = False
    ) -> dict[str, float]: ...
    def memory(self) -> list[float]: ...
    def remember(self, memory: Sequence[float]) -> bool: ...

def attention_patterns() -> list[str]: ...
def pattern_rows(pattern: str, rows: int, columns: int, causal: bool) -> npt.NDArray[np.float64]: ...
def agreement(a: npt.NDArray[Any], b: npt.NDArray[Any], lengths: npt.NDArray[Any]) -> dict[str, float]: ...
def share_interval(holding: int, all: int) -> tuple[float, float, float]: ...
def bootstrap_mean(values: Sequence[float] | npt.NDArray[np.float64], seed: int) -> tuple[float, float, float]: ...
def store_add(
    file: str,
    name: str,
    settings: dict[str, Any],
    key: str,
    series: dict[str, tuple[list[int], list[float]]],
    arrays: list[tuple[str, int, npt.NDArray[Any]]],
    state: str,
    facts: dict[str, Any],
) -> int: ...
def known_words(file: str, spec: Spec) -> tuple[list[str], list[str], list[str]]: ...
def read_labelled(file: str, label: str, text: list[str], format: str) -> tuple[list[str], list[str]]: ...
def corpora() -> list[dict[str, Any]]: ...
def find_corpus(name: str) -> dict[str, Any]: ...
def corpus_texts(name: str, split: str) -> tuple[list[str], list[str]]: ...
def add_corpus(
    name: str,
    train: dict[str, Any],
    validation: dict[str, Any] | None,
    test: dict[str, Any] | None,
    shares: tuple[float, float],
    seed: int,
    replace: bool,
) -> tuple[dict[str, Any], int]: ...
def add_trace(name: str, file: str, skip_bad: bool, replace: bool) -> tuple[dict[str, Any], int]: ...
def remove_corpus(name: str) -> None: ...
def measure(file: str, ids: list[int], only_class: str) -> tuple[str, str, list[str]]: ...
def compare(a: tuple[str, list[Record]], b: tuple[str, list[Record]], metrics: list[str]) -> tuple[str, str]: ...

class TextTask:
    """The task of a run on texts: cuts texts of one's own as it cut those."""

    def __init__(self, spec: Spec) -> None: ...
    def cut(self, text: str) -> list[str]: ...
    sizes: dict[str, int]
    labelled: bool
