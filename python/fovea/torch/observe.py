"""Observing your own PyTorch training: its attention, and the evidence β of each position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .. import _engine, checks
from ..probes import Probe
from .further import batches_of

if TYPE_CHECKING:
    from .watch import Watch


class Sites(dict[str, tuple[int, ...]]):
    """The sites of a module: their shapes by their names.

    Attributes
    ----------
    unseen : dict
        What looks like attention and cannot be seen: why, by the module's name.
    """

    def __init__(self, sites: Mapping[str, tuple[int, ...]], unseen: Mapping[str, str]) -> None:
        super().__init__(sites)
        self.unseen = dict(unseen)

    def __repr__(self) -> str:
        more = "".join(f"\n'{name}' is not seen: it {why}" for name, why in self.unseen.items())
        return super().__repr__() + more


def attention_sites(model: Any, batch: Any) -> Sites:
    """List the attention sites of a PyTorch module.

    Parameters
    ----------
    model : torch.nn.Module
        The module.
    batch : tensor, tuple or dict
        The input of the module: a tensor, a tuple of its arguments, or a dict of them by name.

    Returns
    -------
    dict
        (examples, heads, rows, positions) of each site, by its name, in the order of the calls. Its attribute ``unseen`` has the
        modules that look like attention and cannot be read, with the reason.

    Raises
    ------
    fovea.Failure
        If no site is found. The error has the reason.

    Examples
    --------
    >>> import torch, fovea
    >>> layer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    >>> fovea.attention_sites(layer, torch.randn(4, 6, 8))
    {'self_attn': (4, 2, 6, 6)}
    """
    from .finding import found
    from .model import Model
    from .sites import name_of

    sites = found(Model(module_of(model), batch), _examples(batch))
    return Sites({name_of(key): tuple(seen.attention.shape) for key, seen in sites.sites.items()}, sites.unseen)


def observe(
    model: Any,
    batch: Any = None,
    answer: Callable[[Any], Any] | None = None,
    *,
    truth: Any = None,
    batches: Mapping[str, Mapping[str, Any]] | None = None,
    probes: Probe | Iterable[Probe] = (),
    hooks: str | Sequence[str] = (),
    lens: bool = False,
    ablate: bool = False,
    patch: str | None = None,
    loggers: Any = (),
    rungs: Mapping[str, Any] | None = None,
    every: int | None = None,
    steps: int | None = None,
    sites: str | Sequence[str] = "*",
    beta: str | None = "clamp",
    rows: str | Sequence[int] = "all",
    heads: str = "each",
    share: float | None = 0.1,
    audit: bool = True,
    keep: int = 4,
    name: str = "observed",
    settings: Mapping[str, Any] | None = None,
    seed: int = 0,
    store: Any = None,
) -> Watch:
    """Observe a module of PyTorch while it is trained.

    The loop stays as it is but for two lines: the ``with`` around it, and ``watch.step()`` before each update. ``watch.close()`` gives
    a ``fovea.Run``. Evaluations change no number of the training.

    Parameters
    ----------
    model : torch.nn.Module
        The module that is trained.
    batch : tensor, tuple or dict
        The fixed input of every evaluation: a tensor, a tuple of the module's arguments, or a dict of them.
    answer : function
        Gets the module's output and returns the log-probability of the right answer, (examples, rows), NaN for rows without a
        question. It may also return one number for each example. A site with as many rows as answers, or with one row more, has an
        answer for each row. At a site with another number of rows, all rows belong to all answers of the example.
    truth : array-like, optional
        Which position each row should attend to, (examples, rows), -1 for none.
    batches : dict, optional
        Further batches by their names: ``{"probe": {"batch": x, "answer": answer, "truth": truth}}``. Series on a batch have names
        as ``loss_on_probe``. Without ``batch`` the series of the first of them have no suffix. Only the batch without a suffix has β.
    probes : fovea.Probe or list of fovea.Probe
        What else is measured, on every batch.
    hooks : str or list of str
        Which activations are kept, by their names in TransformerLens: ``"hook_resid_pre"``, ``"hook_resid_post"``, ``"hook_z"``.
    lens : bool
        Whether the answer is read off the residual stream of each layer, too: ``loss_lens_l1``.
    ablate : bool
        Whether the loss is measured without each head, too: ``loss_ablated_l1_h2``.
    patch : str, optional
        The name of a batch. The loss is measured with each head's output taken from that batch, too: ``loss_patched_l1_h2``.
    loggers : object or list of objects
        What gets the series while the training goes on: a run of Weights & Biases, a ``SummaryWriter`` of TensorBoard, a logger of
        Lightning. Names begin with ``fovea/``.
    rungs : dict, optional
        Log-probabilities of the right answer by simpler models, by name and lowest last: like the answer, or one number for all.
        Minus their means, the predicted loss plateaus, are kept with the run.
    every : int, optional
        Updates between two evaluations. By default evaluations are at equal distances of the logarithm of the step, at most 50 updates
        apart, and when the loss falls, within the time of ``share``. With ``share=None`` the default is 50.
    steps : int, optional
        How many updates the training has. Default evaluations are then 64 over all of it, and more when the loss falls.
    sites : str or list of str
        Patterns of the names of the sites that are observed. ``attention_sites`` lists the names.
    beta : str or None
        ``"clamp"``: β of a position is the log-probability of the answer when all attention of one row is on that position. None leaves β
        out. β is exact, and takes many passes.
    rows : "all" or list of int
        The rows whose β may be measured; -1 is the last.
    heads : str
        ``"each"``: heads are clamped one by one. ``"all"``: all heads of a site together.
    share : float or None
        The share of the training's time for evaluations. Without ``every`` one second is always allowed. The rows with β are chosen
        once, as many as the time allows. They are the same at every site and head. None: all rows, at each evaluation.
        ``watch.cost()`` predicts the time.
    audit : bool
        Whether to measure the assumptions of the two-stage account at the last site, for ``fovea.audit(run)``.
    keep : int
        The number of examples whose attention and β are kept.
    name : str
        The name of the run.
    settings : dict, optional
        Settings of the training: ``{"rate": 0.01}`` is kept as ``train.rate``.
    seed : int
        The seed of the run. It also decides which rows are drawn.
    store : path, optional
        The store of the run.

    Returns
    -------
    fovea.Watch
        The watch. In a job of several processes the first alone evaluates.

    Raises
    ------
    WrongInput
        If no site is found, no site has the rows of answer or truth, or an argument is wrong.

    Examples
    --------
    >>> import tempfile, torch, fovea
    >>> model = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True, dropout=0.0)
    >>> x, y = torch.randn(4, 6, 8), torch.arange(6).expand(4, 6)
    >>> right = lambda out: out.log_softmax(-1).gather(-1, y[..., None])[..., 0]
    >>> optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    >>> with fovea.observe(model, x, right, every=10, name="mine", store=tempfile.mkdtemp() + "/runs.db") as watch:
    ...     watch.hold("uniform", until=10)
    ...     for _ in range(20):
    ...         with watch.intervening():
    ...             loss = -right(model(x)).mean()
    ...         optimizer.zero_grad()
    ...         loss.backward()
    ...         watch.step(loss=loss)
    ...         optimizer.step()
    >>> run = watch.close()
    >>> run.series.steps("entropy_l1_h2").tolist()
    [0, 10, 20]
    """
    if every is not None:
        checks.whole("every", every, 1)
    if steps is not None:
        checks.whole("steps", steps, 1)
    checks.whole("keep", keep, 0)
    checks.whole("seed", seed, 0)
    checks.texts("sites", sites, "blocks.1.*")
    shown, further = batches_of(batch, answer, truth, batches)
    for what, one in (("batch", shown), *((f"batches['{name}']", one) for name, one in further.items())):
        _require_tensors(what, one.batch)
    if patch is not None and checks.text("patch", patch) not in further:
        raise _engine.wrong_input(
            f"patch is '{patch}', and no further batch is called so",
            'name a further batch: batches={"probe": {"batch": x, "answer": answer}}',
        )
    checks.text("name", name)
    for word, value, known in (("beta", beta, ("clamp", None)), ("heads", heads, ("each", "all"))):
        if value not in known:
            raise _engine.wrong_input(f"{word} is {checks.shown(value)}", f"it must be {known[0]!r} or {known[1]!r}")
    if isinstance(rows, str):
        if rows != "all":
            raise _engine.wrong_input(f"rows is '{rows}'", 'it must be "all", or a list of rows, as [-1]')
    else:
        if not isinstance(rows, Iterable):
            raise checks.wrong_type("rows", rows, 'a list of rows, as [-1], or "all"')
        rows = [checks.whole("rows", row) for row in rows]
    if share is not None:
        checks.number("share", share, above=0)
    given = {} if settings is None else checks.table("settings", settings, "rate")
    from .watch import Watch

    return Watch(
        module_of(model),
        shown,
        further=further,
        probes=probes,
        hooks=checks.texts("hooks", hooks, "hook_z"),
        lens=checks.flag("lens", lens),
        ablate=checks.flag("ablate", ablate),
        patch=patch,
        loggers=loggers,
        rungs={} if rungs is None else checks.table("rungs", rungs, "unigram"),
        every=every,
        steps=steps,
        sites=sites,
        beta=beta,
        rows=rows,
        heads=heads,
        share=share,
        audit=checks.flag("audit", audit),
        keep=keep,
        name=name,
        settings=given,
        seed=seed,
        store=store,
    )


def _require_tensors(what: str, batch: Any) -> None:
    if (
        not isinstance(batch, (Mapping, tuple, list))
        and hasattr(batch, "__array__")
        and not hasattr(batch, "is_floating_point")
    ):
        raise checks.wrong_type(what, batch, "a tensor, or a tuple or dict of the model's inputs")


def module_of(model: Any) -> Any:
    """Return the model, which has to be a module of PyTorch."""
    from ..pictures import needed

    if not isinstance(model, needed("torch.nn", "torch").Module):
        raise checks.wrong_type("model", model, "a module of PyTorch (torch.nn.Module)")
    return model


def _examples(batch: Any) -> int | None:
    """Return the size of the first tensor, if nothing else gives it."""
    values = (
        list(batch.values())
        if isinstance(batch, Mapping)
        else list(batch)
        if isinstance(batch, (tuple, list))
        else [batch]
    )
    return next((value.shape[0] for value in values if getattr(value, "ndim", 0) > 0), None)
