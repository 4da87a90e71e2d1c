"""A run as Python sees it: numbers as NumPy arrays that share the engine's memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from typing import Any

from . import _engine, checks, pictures
from . import heads as _heads
from .old_names import today
from .run_arrays import attention_at, kept_beta
from .run_facts import Array, RunFacts
from .series import SeriesTable, points_of
from .text.run_texts import Inspection, Reader, Words, words_html


class Run(RunFacts):
    """A training that was run: its settings, its numbers and its arrays. ``fovea.run`` makes it. A store has many.

    Attributes
    ----------
    series
        Each metric over the evaluations: ``run.series["accuracy"]``, ``run.series.steps("accuracy")``.

    Examples
    --------
    >>> import fovea
    >>> run = fovea.run("toy-uniform", seed=0, steps=20, keep=False)
    >>> run.state, run.error, run.experiment, run.seed, run.steps, run.id, run.elsewhere
    ('done', '', 'toy-uniform', 0, 20, 0, False)
    >>> run.series["p"].dtype, run.series.steps("p").tolist()[-1], run.seconds < 60
    (dtype('float64'), 20, True)
    >>> run.spec["train"]["steps"], run.metrics["p"] == run.series["p"].tolist()[-1]
    (20, True)
    """

    @property
    def attention_steps(self) -> list[int]:
        """The steps at which attention was kept.

        Examples
        --------
        >>> import fovea
        >>> fovea.run("copy-subset", quick=True, steps=20, keep=False).attention_steps
        [0, 10, 20]
        """
        return sorted(self.arrays.get("attention", {}))

    def attention(self, step: int | None = None) -> Array:
        """Return the attention of a few examples, always the same.

        Parameters
        ----------
        step
            One of ``attention_steps``. None: the last.

        Returns
        -------
        array
            (examples, rows, positions).

        Raises
        ------
        WrongInput
            If the run has no attention at this step.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("copy-subset", quick=True, steps=20, keep=False)
        >>> bool(abs(run.attention(10).sum(-1) - 1).max() < 1e-2)
        True
        """
        return attention_at(self.arrays.get("attention", {}), checks.step(step), self._name())

    def beta(self, step: int | None = None) -> Array:
        """Return β of the examples of ``attention``: the evidence of each position for the right answer, if all attention were on it.

        β at the end of training is computed from the weights. Earlier evaluations have β if the probe ``kept_beta`` kept it.

        Parameters
        ----------
        step
            One of ``attention_steps``. None: the end.

        Returns
        -------
        array
            (examples, rows, positions).

        Raises
        ------
        WrongInput
            If the model has no β, or none was kept at this step.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("copy-subset", quick=True, steps=20, keep=False, probes=["kept_beta"])
        >>> run.beta(10).shape == run.attention(10).shape
        True
        """
        looks, step = self.arrays.get("attention_beta", {}), checks.step(step)
        kept = kept_beta(looks, step, self.steps, self.elsewhere, self._name())
        if kept is not None:
            return kept
        examples = len(self.attention())
        beta = self._beta_of(examples)
        if beta is None:
            raise _engine.wrong_input(f"a model '{self.spec['model']['name']}' has no β", "")
        return beta

    def _beta_of(self, examples: int) -> Array | None:
        beta: Array | None
        if self._task is None:
            beta = self._model().beta_of_examples(examples)
            return beta
        batch = self._task.batch("test", 0, self.seed, examples)
        beta = self.apply({name: values[:examples] for name, values in batch.items()}, beta=True)["beta"]
        return beta

    def apply(self, batch: Mapping[str, Any], *, beta: bool = False) -> dict[str, Any]:
        """Apply the trained model to a batch.

        Parameters
        ----------
        batch
            A dict of arrays, as ``fovea.Task`` describes it.
        beta
            Whether β is computed.

        Returns
        -------
        dict
            ``scores``, ``attention``, ``predictions``, ``loss`` and ``beta``. A part that the model does not have is None.

        Raises
        ------
        WrongInput
            If the batch is not one of the model's task, or the weights were not kept.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("copy-subset", quick=True, steps=20, vocab=9, length=4, keep=False)
        >>> run.apply({"source": [[1, 2, 3, 4, 8]], "target": [[1, 2, 3, 4, 8]]})["attention"].shape
        (1, 5, 5)
        """
        with nullcontext() if self._similarity is None else self._similarity.at_work():
            return self._model().forward(checks.table("the batch", batch, "source"), checks.flag("beta", beta))

    @property
    def words(self) -> Words:
        """The words and classes of a run on texts: ``source``, ``target`` and ``classes``.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=2, keep=False)
        >>> run.words.classes
        ['negative', 'positive']
        """
        if self._words is None:
            if self._task is not None or self.elsewhere:
                raise _engine.wrong_input(
                    f"{self._name()} has no words that the engine knows", "its task is not the library's"
                )
            source, target, classes = _engine.known_words(self._store or "", self._record.spec)
            self._words = Words(source, target or source, classes)
        return self._words

    def inspect(self, text: str) -> Inspection:
        """Classify a text, and return α, β and α·β of each word.

        Parameters
        ----------
        text
            A text.

        Returns
        -------
        Inspection
            The answer, its probability, and the numbers of each word.

        Raises
        ------
        WrongInput
            If the run was not trained on labelled texts, or its weights were not kept.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=60, keep=False)
        >>> seen = run.inspect("a dull plot")
        >>> seen.words, len(seen.attention)
        (['a', 'dull', 'plot'], 3)
        """
        checks.letters("text", checks.text("text", text))
        return self._reading().inspect(text)

    def look(self, text: str) -> Inspection:
        """Inspect a text. It is the old name of ``inspect``, through 1.x.

        Parameters
        ----------
        text
            A text.

        Returns
        -------
        Inspection
            The same as of ``inspect``.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=60, keep=False)
        >>> run.look("a dull plot").words  # with a FutureWarning
        ['a', 'dull', 'plot']
        """
        today("python", "look")
        return self.inspect(text)

    def predict(self, texts: Iterable[str]) -> list[str]:
        """Predict the class of each text. ``inspect`` has the probabilities.

        Parameters
        ----------
        texts
            A list of texts.

        Returns
        -------
        list
            The names of the classes.

        Raises
        ------
        WrongInput
            If the run was not trained on labelled texts, or its weights were not kept.

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("text-classify", quick=True, attention="learned", steps=60, keep=False)
        >>> len(run.predict(["a dull plot", "a fine plot"]))
        2
        """
        classes = self._reading().chances(checks.text_list("texts", texts)).argmax(1)
        return [self.words.classes[number] for number in classes]

    def _known_words(self) -> Words | None:
        """The words of a run on texts of the library; None for another run."""
        return self.words if self._task is None and not self.elsewhere and "corpus" in self.spec["task"] else None

    def _reading(self) -> Reader:
        if self._reader is None:
            if self._task is not None or self.elsewhere:
                raise _engine.wrong_input(
                    f"{self._name()} was trained on what is no text to the engine",
                    "apply its model to a batch: run.apply",
                )
            self._reader = Reader(self._name(), self._record.spec, self.words, self.weights)
        return self._reader

    def _model(self) -> _engine.Applied:
        if self._applied is None:
            shape = None if self._task is None else self._task.shape
            spec = self._record.spec
            if self._similarity is not None:  # a copy of the run has a copy of it, under another key
                spec = spec.with_similarity(self._similarity.key)
            self._applied = _engine.Applied(spec, shape, self.weights(), self.spec["train"]["precision"] == "double")
        return self._applied

    def to_pandas(self) -> Any:
        """Return every point of every series.

        Returns
        -------
        DataFrame
            The columns are run, experiment, seed, metric, step and value.

        Examples
        --------
        >>> import fovea
        >>> list(fovea.run("toy-uniform", steps=20, keep=False).to_pandas())
        ['run', 'experiment', 'seed', 'metric', 'step', 'value']
        """
        return points_of([self._as_series()])

    def _as_series(self) -> tuple[int, str, int, SeriesTable]:
        return self.id, self.experiment, self.seed, self.series

    def plot(self, *metrics: str, ax: Any = None) -> Any:
        """Draw series over steps with matplotlib.

        Parameters
        ----------
        *metrics
            The series to draw. None: those that show most.
        ax
            Axes of matplotlib. None: a new figure.

        Returns
        -------
        Any
            The axes.

        Raises
        ------
        KeyError
            If the run has no such series.

        Examples
        --------
        >>> import fovea
        >>> fovea.run("toy-uniform", steps=20, keep=False).plot("p").get_xlabel()
        'step'
        """
        metrics = tuple(self.series.name_now(checks.text("a metric", metric)) for metric in metrics)
        for metric in metrics:
            self.series[metric]  # says which there are
        return pictures.plot([self.series], self._record.telling_metrics, metrics, ax)

    def heads(self, step: int | None = None, *, example: int = 0, batch: str | None = None, figure: Any = None) -> Any:
        """Draw the attention of each head, a row for each layer, with the tokens of the positions.

        A map has its rows (queries) downwards and its positions (keys) to the right. An axis has at most 16 tokens, at equal distances.

        Parameters
        ----------
        step : int, optional
            One of the steps that attention is kept for; the last by default.
        example : int
            One of the examples that are kept, from 0.
        batch : str, optional
            A further batch of an observed training, by its name.
        figure : matplotlib.figure.Figure, optional
            Where to draw; a new one by default.

        Returns
        -------
        matplotlib.figure.Figure

        Examples
        --------
        >>> import fovea
        >>> run = fovea.run("markov-icl", quick=True, steps=20, keep=False)
        >>> [ax.get_title() for ax in run.heads(20).axes][:1]
        ['layer 1, head 1']
        """
        shown, maps = _heads.maps_of(self.arrays, checks.step(step), self._name(), batch)
        example = _heads.require_example(example, min(map(len, maps.values())))
        words, source = self._known_words(), "attention_source" + ("" if batch is None else f"_on_{batch}")
        columns = _heads.tokens_of(self.arrays.get(source), example, words.source if words else [])
        rows = _heads.tokens_of(self.arrays.get("attention_target"), example, words.target if words else []) or columns
        return _heads.draw_heads(shown, maps, example, columns, rows, figure)

    def ranking(self, metric: str, step: int | None = None) -> _heads.HeadRanking:
        """Rank the heads by a series that each of them has: which head does it most.

        Parameters
        ----------
        metric : str
            Such as ``"induction"``, ``"weight_on_previous"``, ``"entropy"`` or ``"agreement"``; under a hold ``"induction_held"``.
        step : int, optional
            The values are the newest at this step; at the last by default.

        Returns
        -------
        HeadRanking
            A list, largest first, of heads with ``layer``, ``head``, ``value``, ``site`` and ``arose``, the first step with half of the
            head's rise. ``arose`` is None without a rise above chance. It is printed as a table.

        Examples
        --------
        >>> import fovea
        >>> fovea.run("markov-icl", quick=True, steps=20, keep=False).ranking("induction")[0].layer in (1, 2)
        True
        """
        metric, sites = today("metric", checks.text("metric", metric)), _heads.sites_of(self.spec)
        return _heads.rank_heads(self.series, metric, checks.step(step), self._name(), sites)

    def _repr_html_(self) -> str:
        shown = ""
        if self.attention_steps:
            step = self.attention_steps[-1]
            rows, known = self.attention(step)[0], self._known_words()
            drawn = _heads.heads_html(self.arrays, step, self.series) or pictures.heat_map(rows)
            caption = f"attention of one example at step {step}: {self._record.attention_axes}"
            words = words_html(known, self.arrays, rows) if known and self.arrays.get("attention_source") else ""
            shown = f"<div>{drawn}<br/><small>{caption}</small>{words}</div>"
        return pictures.run_html(repr(self)[1:-1], self.error, self.metrics, self.series, shown)


def a_run(value: Any) -> Run:
    if not isinstance(value, Run):
        raise checks.wrong_type("run", value, "a run, as fovea.run or fovea.store()[1] gives it")
    return value
