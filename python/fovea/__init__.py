"""Fovea, a laboratory for how attention learns, in Python.

>>> import fovea
>>> run = fovea.run("toy-uniform", seed=0, keep=False)
>>> run.state
'done'
"""

from typing import TYPE_CHECKING, Any

from . import data
from ._engine import Error, Failure, ProbeBatch, ProbeModel, ProbeOutcome, Step, WrongInput, WrongType
from ._engine import version as __version__
from .auditing import Assumption, Audit, audit
from .data import Corpus
from .heads import Head, HeadRanking
from .measuring import Comparison, Measures, compare, measure
from .models import Model
from .old_names import today
from .prediction import Prediction, predict
from .probes import Probe
from .run_store import Store, store
from .run_table import RunTable
from .runs import Run
from .settings import describe
from .similarities import Similarity
from .sweeps import sweep
from .tasks import Task
from .text.belief import Belief
from .text.believing import check_attention
from .text.run_texts import Inspection, Words
from .text.shading import Shading
from .torch.bridge import from_torch, to_torch
from .torch.callbacks import lightning_callback, trainer_callback
from .torch.classifier_check import check_classifier
from .torch.classifier_report import ClassifierCheck
from .torch.observe import attention_sites, observe
from .trace_prediction import TracePrediction
from .training import resume, run

if TYPE_CHECKING:
    from .torch.watch import Watch as Watch


_NEED_TORCH = ("Watch",)  # public names, loaded when they are first used; `import *` works without PyTorch


def __getattr__(name: str) -> Any:
    """``Watch``, whose module needs PyTorch, and names of before."""
    if (now := today("python", name)) != name and now in globals():
        return globals()[now]
    if name in _NEED_TORCH:
        from .torch.watch import Watch

        return Watch
    raise AttributeError(f"module 'fovea' has no attribute {name!r}")


__all__ = [
    "Assumption",
    "Audit",
    "Belief",
    "ClassifierCheck",
    "Comparison",
    "Corpus",
    "Error",
    "Failure",
    "Head",
    "HeadRanking",
    "Inspection",
    "Measures",
    "Model",
    "Prediction",
    "Probe",
    "ProbeBatch",
    "ProbeModel",
    "ProbeOutcome",
    "Run",
    "RunTable",
    "Shading",
    "Similarity",
    "Step",
    "Store",
    "Task",
    "TracePrediction",
    "Words",
    "WrongInput",
    "WrongType",
    "__version__",
    "attention_sites",
    "audit",
    "check_attention",
    "check_classifier",
    "compare",
    "data",
    "describe",
    "from_torch",
    "lightning_callback",
    "measure",
    "observe",
    "predict",
    "resume",
    "run",
    "store",
    "sweep",
    "to_torch",
    "trainer_callback",
]
