"""The series of a watch reach the loggers of other libraries while the training goes on."""

import math
import warnings

import pytest

torch = pytest.importorskip("torch")

from observed_models import GPT, TARGET, TOKENS, drawn, observe, right, train  # noqa: E402, F401


class OfWandb:
    """A run of Weights & Biases: a row takes numbers until it is committed, and rows before it are refused."""

    def __init__(self):
        self.step, self.rows, self.axes = 0, {}, {}

    def define_metric(self, name, step_metric=None):
        self.axes[name] = step_metric

    def log(self, data, step=None, commit=None):
        if step is not None and step < self.step:
            return  # with a message that training loops do not read
        self.step = self.step if step is None else step
        self.rows.setdefault(self.step, {}).update(data)
        if commit or (commit is None and step is None):
            self.step += 1

    @property
    def got(self):
        assert self.axes == {"fovea/step": None, "fovea/*": "fovea/step"}
        found = {}
        for row in self.rows.values():
            numbers = {name: value for name, value in row.items() if name.startswith("fovea/")}
            if numbers:
                found.setdefault(numbers.pop("fovea/step"), {}).update(numbers)
        return found


class OfTensorBoard:
    def __init__(self):
        self.got = {}

    def add_scalar(self, tag, value, step):
        self.got.setdefault(step, {})[tag] = value


class OfLightning:
    def __init__(self):
        self.got = {}

    def log_metrics(self, metrics, step):
        self.got.setdefault(step, {}).update(metrics)

    def log(self, *args):
        raise AssertionError("another method of the same name")


def kept(run):
    """{step: {name: value}} of a run."""
    found = {}
    for name in run.series:
        for step, value in zip(run.series.steps(name).tolist(), run.series[name].tolist()):
            found.setdefault(step, {})["fovea/" + name] = value
    return found


def same(some, others):
    return some.keys() == others.keys() and all(
        some[step].keys() == others[step].keys()
        and all(math.isclose(some[step][name], others[step][name], rel_tol=1e-6, abs_tol=1e-9) for name in some[step])
        for step in some
    )


@pytest.mark.parametrize("kind", [OfWandb, OfTensorBoard, OfLightning])
def test_a_logger_gets_what_the_run_keeps(kind):
    logger, model = kind(), GPT()
    with observe(model, every=4, loggers=logger) as watch:
        train(model, watch)
        while_it_goes_on = sorted(logger.got)
    assert while_it_goes_on == [0, 4, 8] and same(logger.got, kept(watch.close()))
    assert {"fovea/loss", "fovea/entropy_l2_h1", "fovea/train_loss", "fovea/gradient"} <= set(logger.got[4])


@pytest.mark.parametrize(
    "order", ["before step", "after step", "before step with a number", "after step with a number"]
)
def test_weights_and_biases_keeps_what_the_loop_and_the_watch_log(order):
    logger, model = OfWandb(), GPT()
    with observe(model, every=4, loggers=logger) as watch:
        for update in range(9):
            if order.startswith("before"):
                logger.log({"mine": update}, **({"step": update} if "number" in order else {}))
            right(TARGET)(model(TOKENS)).mean().backward()
            watch.step(loss=0.0)
            if order.startswith("after"):
                logger.log({"mine": update}, **({"step": update} if "number" in order else {}))
    assert same(logger.got, kept(watch.close())) and sorted(logger.got) == [0, 4, 8, 9]
    assert [row["mine"] for row in logger.rows.values() if "mine" in row] == list(range(9))


@pytest.mark.parametrize("first", ["the loop", "the watch"])
def test_a_run_of_weights_and_biases(tmp_path, monkeypatch, first):
    wandb = pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_SILENT", "true")
    model = GPT()
    with wandb.init(project="test", mode="offline", dir=str(tmp_path)) as logger:
        with observe(model, every=2, beta=None, loggers=logger) as watch:
            for update in range(5):
                if first == "the loop":
                    logger.log({"mine": update})
                right(TARGET)(model(TOKENS)).mean().backward()
                watch.step()
                if first == "the watch":
                    logger.log({"mine": update})
        run = watch.close()
        logger.log({"mine": 5})
        assert logger.summary["fovea/step"] == 5 and logger.summary["mine"] == 5
        assert logger.summary["fovea/loss"] == pytest.approx(run.metrics["loss"])


def test_a_logger_that_fails_is_left_out():
    class Failing(OfWandb):
        def log(self, data, step=None, commit=None):
            raise ConnectionError("no network")

    good, model = OfWandb(), GPT()
    with warnings.catch_warnings(record=True) as told, observe(model, every=4, loggers=[Failing(), good]) as watch:
        warnings.simplefilter("always")
        train(model, watch)
    assert len([one for one in told if "a logger failed at update 0" in str(one.message)]) == 1
    assert sorted(good.got) == [0, 4, 8, 12]


def test_what_is_no_logger_is_refused():
    import fovea

    for given, named in (
        (3, "loggers is 3"),
        ("tb", "loggers is 'tb'"),
        ([OfWandb(), "wandb"], r"loggers\[1\] is 'wandb'"),
    ):
        with pytest.raises(fovea.WrongType, match=named):
            observe(GPT(), loggers=given)
    assert observe(GPT(), loggers=None).close().state == "done"


def test_a_writer_of_tensorboard(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    model = GPT()
    with SummaryWriter(str(tmp_path)) as writer, observe(model, every=4, loggers=writer) as watch:
        train(model, watch)
        run = watch.close()
    events = EventAccumulator(str(tmp_path))
    events.Reload()
    points = events.Scalars("fovea/entropy_l1_h1")
    assert [one.step for one in points] == [0, 4, 8, 12]
    assert [one.value for one in points] == pytest.approx(run.series["entropy_l1_h1"].tolist())


def test_the_loggers_of_a_trainer_of_lightning(tmp_path):
    import fovea

    lightning = pytest.importorskip("lightning.pytorch", exc_type=ImportError)
    from lightning.pytorch.loggers import CSVLogger

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = GPT()

        def forward(self, x):
            return self.model(x)

        def training_step(self, batch, index):
            return -right(batch[0].roll(1, 1))(self(batch[0])).mean()

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), 0.1)

    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(TOKENS), 4)
    watching = fovea.lightning_callback(TOKENS, right(TARGET), every=1, loggers=True)
    trainer = lightning.Trainer(
        max_epochs=2,
        callbacks=[watching],
        logger=CSVLogger(tmp_path),
        enable_progress_bar=False,
        enable_checkpointing=False,
        accelerator="cpu",
    )
    trainer.fit(Module(), data)
    assert "fovea/entropy_l1_h1" in (tmp_path / "lightning_logs/version_0/metrics.csv").read_text()
