"""Fovea, a laboratory for how attention learns, in Python.

>>> import fovea
>>> run = fovea.run("toy-uniform", seed=0, keep=False)
>>> run.state
'done'
"""

from ._engine import Error, Failure, WrongInput
from ._engine import version as __version__
from .runs import Run
from .training import run

__all__ = ["Error", "Failure", "Run", "WrongInput", "__version__", "run"]
