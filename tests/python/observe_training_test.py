"""Over a training that is observed: it stays what it was, attention is held, looks cost little, and what was begun goes on."""

import copy
import threading
import time
import tracemalloc

import pytest

import fovea

torch = pytest.importorskip("torch")

from observed_models import GPT, PREVIOUS, TARGET, TOKENS, hooks, looked, observe, right, sharpened, train  # noqa: E402
from torch.nn import functional as F  # noqa: E402


def test_training_stays_what_it_is_to_the_bit():
    model, seen = GPT(), []
    for observed in (False, True):
        twin = copy.deepcopy(model)
        torch.manual_seed(7)  # dropout draws from it
        watch = observe(twin, every=5, share=0.1) if observed else None
        train(twin, watch)
        if watch:
            run = watch.close()
        seen.append([p.detach().numpy().tobytes() for p in twin.parameters()])
        assert twin.training and all(p.grad is not None for p in twin.parameters())
    assert seen[0] == seen[1] and hooks(twin) == 0
    assert run.series.steps("entropy").tolist() == [0, 5, 10, 12] and run.series.steps("train_loss").tolist() == [
        0,
        5,
        10,
    ]


def test_attention_is_held_and_seen_both_ways():
    model = GPT()
    watch = observe(model, truth=PREVIOUS, every=4, beta=None)
    watch.hold("uniform", sites="blocks.1.*", until=4)
    watch.hold("previous", sites="blocks.0.*", head=2, start=2, until=6)
    queries = [p.detach().clone() for p in (model.blocks[1].attn.c_attn.weight,)]
    train(model, watch, steps=3)
    moved = (model.blocks[1].attn.c_attn.weight - queries[0]).abs().reshape(3, 16, 16).amax((1, 2))
    assert moved[2] > 1e-3 > 0.5 * 1e-3 > moved[0] and moved[0] < 1e-3  # only what decay does to queries under a hold
    train(model, watch, steps=5)
    run = watch.close()
    assert run.series.steps("entropy_l2_h1_held").tolist() == [0, 4]
    assert run.series["entropy_l2_h1_held"][0] == pytest.approx(1) and run.series["entropy_l2_h1"][0] < 1
    assert (
        run.series["weight_on_previous_l1_h2_held"][1]
        == pytest.approx(1)
        != run.series["weight_on_previous_l1_h1_held"][1]
    )
    assert run.spec["intervene"] == [
        {"hold": "uniform", "of": ["blocks.1.attn"], "from": 0, "until": 4},
        {"hold": "previous", "of": ["blocks.0.attn"], "from": 2, "until": 6, "head": 2},
    ]


def test_every_hold_is_what_it_says():
    held = {}
    for how in (
        "uniform",
        "previous",
        "first",
        "truth",
        lambda attention, allowed: attention.flip(-1) * 0 + torch.eye(8),
    ):
        model = GPT()
        watch = observe(model, truth=torch.full((4, 8), 1), beta=None)
        watch.hold(how)
        with watch._observed.model.at_rest():
            held[how if isinstance(how, str) else "own"] = (
                watch._observed.base(watch._holds.plan(0, watch._observed.truth))
                .seen[("blocks.0.attn", 1)]
                .attention[0, 0]
            )
    own = held["truth"][0]
    assert torch.allclose(held["uniform"], torch.ones(8, 8).tril() / torch.arange(1, 9)[:, None])
    assert torch.equal(held["previous"].argmax(-1), PREVIOUS[0]) and torch.equal(
        held["first"].argmax(-1), torch.zeros(8).long()
    )
    assert torch.equal(held["own"], torch.eye(8))
    assert (
        torch.equal(held["truth"][1:].argmax(-1), torch.ones(7).long()) and own[0] == 1
    )  # the first row cannot see it


@pytest.mark.parametrize("reentrant", [False, True])
def test_what_is_computed_again_cannot_be_held(reentrant):
    from torch.utils.checkpoint import checkpoint

    class Checkpointed(GPT):
        def forward(self, tokens):
            x = self.wte(tokens) + self.wpe(torch.arange(8))
            return self.lm_head(self.ln_f(self.blocks[1](checkpoint(self.blocks[0], x, use_reentrant=reentrant))))

    model = Checkpointed()
    watch = observe(model, beta=None)
    watch.hold("uniform", "blocks.1.*")
    train(model, watch, steps=1)  # the second block is not checkpointed
    watch.hold("uniform", "blocks.0.*", start=1)
    with pytest.raises(fovea.WrongInput, match=r"'blocks.0.attn' cannot be held: it is made in a checkpointed part"):
        train(model, watch, steps=1)
    with torch.no_grad(), watch.intervening():
        model(TOKENS)  # nothing is computed again
    assert hooks(model) == 0


def test_a_truth_out_of_range_cannot_be_held():
    watch = observe(GPT(), beta=None)
    watch.hold("truth")
    for place in (8, -2):
        with (
            pytest.raises(fovea.WrongInput, match=f"truth has a position {place}, and attention has 8 positions"),
            watch.intervening(torch.full((4, 8), place)),
        ):
            watch._observed.model()


def test_a_truth_that_is_not_known_is_missed_before_the_hold_begins():
    watch = observe(GPT(), every=1, beta=None)
    watch.hold("truth", start=2, until=4)
    with (
        pytest.raises(
            fovea.WrongInput, match=r"at the truth from update 2 on, and intervening\(\) at update 0 is given none"
        ),
        watch.intervening(),
    ):
        pass
    for number in range(5):
        with watch.intervening(PREVIOUS if number < 4 else None):
            right(TARGET)(watch._observed.model()).mean().backward()
        watch.step()
    assert watch.close().series.steps("loss").tolist() == [0, 1, 2, 3, 4, 5]


def test_a_last_look_that_fails_takes_nothing_with_it():
    watch = observe(GPT(), every=1, beta=None)
    right(TARGET)(watch._observed.model()).mean().backward()
    watch.step()
    watch.hold(lambda attention, allowed: attention[:1], start=1)
    with pytest.warns(
        UserWarning,
        match="the evaluation at update 1 failed, and earlier evaluations are kept .WrongInput: a hold gave",
    ):
        run = watch.close()
    assert run is watch.close() and run.state == "done" and run.series.steps("loss").tolist() == [0]


@pytest.mark.parametrize("way", ["aot_eager", "in place"])
def test_compiled_models(way):
    model = GPT()
    if way == "in place":
        model.compile(backend="eager")
    compiled = model if way == "in place" else torch.compile(model, backend=way)
    watch = observe(compiled, every=2)
    watch.hold("uniform", until=1)
    train(model, watch, steps=2, of=compiled)
    assert watch.close().series.steps("entropy_l1_h1_held").tolist() == [0] and hooks(model) == 0


def test_looks_take_a_tenth_of_the_training_at_most():
    model = GPT(width=32, heads=4)
    watch = observe(model, every=50, share=0.1)
    assert "an update" in str(watch.cost()) and watch.cost().units["blocks.0.attn"] > 1
    spent, look = [], watch._evaluate

    def timed(last):
        start = time.process_time()
        look(last)
        spent.append(time.process_time() - start)

    watch._evaluate = timed
    start = time.process_time()
    train(model, watch, steps=400, batch=32)
    whole = time.process_time() - start
    watch._evaluate = look
    run = watch.close()
    assert sum(spent) < 0.1 * (whole - sum(spent)), (sum(spent), whole)
    assert len(run.series["agreement"]) >= 2  # and β is among it


def test_gradients_are_those_of_the_update():
    model = GPT()
    watch = observe(model, every=1, beta=None)
    F.cross_entropy(model(TOKENS).flatten(0, 1), TARGET.flatten()).backward()
    watch.step()
    run = watch.close()

    def norm(module):
        return torch.cat([p.grad.flatten() for p in module.parameters()]).norm().item()

    assert run.series["gradient"].tolist() == pytest.approx([norm(model)])
    assert run.series["gradient_l2"].tolist() == pytest.approx([norm(model.blocks[1].attn)])


def test_it_goes_on_where_it_was_saved(tmp_path):
    model = GPT()
    whole = observe(copy.deepcopy(model), every=3)
    train(whole._observed.model.module, whole, steps=7)
    expected = whole.close()
    first = observe(model, every=3)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-2)
    random = torch.Generator().manual_seed(1)
    torch.manual_seed(0)
    for number in range(7):
        if number == 4:
            torch.save(first.state_dict(), tmp_path / "watch.pt")
            first = observe(model, every=3)
            first.load_state_dict(torch.load(tmp_path / "watch.pt"))
        x = torch.randint(0, 12, (4, 8), generator=random)
        optimizer.zero_grad()
        F.cross_entropy(model(x).flatten(0, 1), x.roll(1, 1).flatten()).backward()
        first.step()
        optimizer.step()
    run = first.close()
    assert run.steps == 7 and run.series.steps("entropy").tolist() == expected.series.steps("entropy").tolist() == [
        0,
        3,
        6,
        7,
    ]
    assert sorted(run.arrays["attention"]) == [0, 3, 6, 7]
    with pytest.raises(fovea.WrongInput, match="has no 'key'"):
        observe(model).load_state_dict({"number": 3})


def test_of_several_processes_the_first_looks(monkeypatch):
    monkeypatch.setenv("RANK", "1")
    model = GPT()
    watch = observe(model, every=1)
    watch.hold("uniform")
    train(model, watch, steps=2)
    assert watch.close() is None and len(fovea.store()) == 0


def test_two_threads_observe_two_models():
    def alone(seed):
        torch.manual_seed(seed)
        return sharpened(GPT())

    models = [alone(seed) for seed in (1, 2)]
    expected = [looked(model).metrics for model in models]
    found = [None, None]

    def work(number):
        for _ in range(3):
            found[number] = looked(models[number]).metrics

    threads = [threading.Thread(target=work, args=(number,)) for number in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == expected


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_a_pass_in_another_thread_is_held_if_intervening_is_entered_there():
    model, outputs = GPT().eval(), []
    watch = observe(model, beta=None)
    watch.hold("uniform")

    def forward():
        with watch.intervening():
            outputs.append(model(TOKENS))

    in_a_thread(forward)
    watch.step()
    forward()
    assert torch.equal(*outputs) and not torch.equal(outputs[0], model(TOKENS))


def test_a_pass_in_another_thread_than_intervening_is_refused():
    model = GPT()
    watch = observe(model, beta=None)
    watch.hold("uniform")
    with watch.intervening():
        in_a_thread(lambda: model(TOKENS))
    with pytest.raises(fovea.WrongInput, match="in the thread that runs it"):
        watch.step()


def test_memory_stays_flat():
    watch = observe(GPT(width=8, layers=1), every=1, beta=None)
    sizes = []
    for _ in range(3):
        for _ in range(120):
            watch.step()
        if not tracemalloc.is_tracing():
            tracemalloc.start()
        sizes.append(tracemalloc.get_traced_memory()[0])
    tracemalloc.stop()
    assert sizes[2] - sizes[1] < 2_000_000, sizes  # points of some forty series, and maps of few looks


def test_a_trainer_of_transformers_and_one_of_lightning():
    transformers = pytest.importorskip("transformers")
    callback = fovea.trainer_callback(TOKENS, right(TARGET), every=2, share=None, beta=None, name="mine")
    assert isinstance(callback, transformers.TrainerCallback)
    callback.hold("uniform", until=2)
    model, state = GPT(), transformers.TrainerState()
    callback.on_train_begin(None, state, None, model=model)
    for _ in range(4):
        callback.on_step_begin(None, state, None)
        model(TOKENS).sum().backward()
        callback.on_pre_optimizer_step(None, state, None)
    callback.on_train_end(None, state, None)
    assert callback.run.series.steps("entropy_l1_h1").tolist() == [0, 2, 4] and hooks(model) == 0
    assert callback.run.series.steps("entropy_l1_h1_held").tolist() == [0]


def test_every_pass_of_an_update_is_held():
    model = GPT().eval()
    watch = observe(model, beta=None)
    watch.hold("uniform")
    with torch.no_grad(), watch.intervening():
        first, second = model(TOKENS), model(TOKENS)
    assert torch.equal(first, second) and not torch.allclose(first, model(TOKENS))


def test_a_hold_that_no_pass_was_in_is_told():
    watch = observe(GPT(), beta=None)
    watch.hold("uniform", until=1)
    with pytest.raises(fovea.WrongInput, match="at update 0") as told:
        watch.step()
    assert "watch.intervening()" in str(told.value)


def test_a_trainer_that_an_exception_ended_holds_no_more():
    transformers = pytest.importorskip("transformers")
    callback = fovea.trainer_callback(TOKENS, right(TARGET), beta=None, name="mine")
    callback.hold("uniform")
    model, state = GPT(), transformers.TrainerState()
    callback.on_train_begin(None, state, None, model=model)
    callback.on_step_begin(None, state, None)
    callback.on_train_begin(None, state, None, model=model)
    assert hooks(model) == 0


def test_a_resumed_run_keeps_its_place():
    model = GPT()
    watch = observe(model, beta=None)
    with pytest.warns(UserWarning, match="at update 0 step.. found no gradient"):
        watch.step()
    state = watch.state_dict()
    with pytest.raises(fovea.WrongInput, match="of a watch of 2 sites .*this one has 1 .blocks.0.attn"):
        observe(model, beta=None, sites="blocks.0.*").load_state_dict(state)
    watch.close("failed", "mine")
    watch = observe(model, beta=None)
    watch.load_state_dict(state)
    watch.step()
    watch.close()
    assert [run.steps for run in fovea.store()] == [2]


def test_what_cannot_be_kept_or_measured_is_told_at_the_start(tmp_path):
    (tmp_path / "plain").write_text("")
    with pytest.raises(fovea.WrongInput, match="is a file, not a folder"):
        observe(GPT(), store=tmp_path / "plain" / "runs.db")
    with pytest.raises(fovea.WrongInput, match="'/proc' cannot be written"):
        observe(GPT(), store="/proc/no-such-folder/runs.db")
    with pytest.raises(fovea.WrongInput, match="rows has 99, and attention has 8 rows"):
        observe(GPT(), rows=[99])
    watch = observe(GPT(), beta=None)
    with pytest.raises(fovea.WrongType, match=r"step\(loss=…\) is None"):
        watch.step(loss=None)
    with pytest.raises(fovea.WrongInput, match=r"step\(loss=…\) has the shape \(3,\)\. It must be one number"):
        watch.step(loss=torch.ones(3))
    with pytest.raises(fovea.WrongInput, match="until is 5. It must be after start, which is 10"):
        watch.hold("uniform", start=10, until=5)
    assert watch.number == 0


def test_buffers_that_a_pass_writes_are_put_back():
    class Counting(GPT):
        def __init__(self):
            super().__init__()
            self.norm = torch.nn.BatchNorm1d(12)
            self.register_buffer("written", torch.zeros(1))
            self.register_buffer("replaced", torch.zeros(1))

        def forward(self, tokens):
            self.written += 1
            self.replaced = self.replaced + 1
            return self.norm(super().forward(tokens).transpose(1, 2)).transpose(1, 2)

    model = Counting()
    before = {name: (one, one.clone()) for name, one in model.named_buffers()}
    looked(model)
    assert all(one is before[name][0] and torch.equal(one, before[name][1]) for name, one in model.named_buffers())
