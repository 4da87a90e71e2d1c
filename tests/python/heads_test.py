"""The heads of a run side by side, and which of them does something most."""

import numpy as np
import pytest

import fovea


def kept(store=None):
    """A run of two layers and two heads, as another program keeps it."""
    random = np.random.default_rng(0)
    maps = random.dirichlet(np.ones(5), (3, 2, 2, 2, 5)).astype(
        np.float32
    )  # (steps, layers, heads, examples, rows, positions)
    arrays = [
        (f"attention.layer.{layer + 1}.head.{head + 1}", 10 * number, maps[number, layer, head])
        for number in range(3)
        for layer in range(2)
        for head in range(2)
    ]
    arrays += [("attention", 10 * number, maps[number, 1].mean(0)) for number in range(3)]
    arrays.append(("attention_source", 0, np.arange(10).reshape(2, 5)))
    series = {
        "induction": ([0, 10, 20], [0.1, 0.2, 0.9]),
        "induction_l1_h1": ([0, 10, 20], [0.1, 0.1, 0.1]),
        "induction_l1_h2": ([0, 10, 20], [0.0, 0.2, 0.1]),
        "induction_l2_h1": ([0, 10, 20], [0.1, 0.5, 0.9]),
        "induction_l2_h2": ([0, 10, 20], [0.1, 0.1, 0.2]),
        "induction_chance": ([0], [0.15]),
        "entropy_l1_h1": ([0], [1.0]),
    }
    return fovea.store().add("mine", {}, series, arrays), maps


def test_the_head_that_does_it_most_comes_first():
    run, _ = kept()
    ranking = run.ranking("induction")
    assert [(one.layer, one.head, one.value) for one in ranking] == [(2, 1, 0.9), (2, 2, 0.2), (1, 1, 0.1), (1, 2, 0.1)]
    assert [one.arose for one in ranking] == [10, 20, None, 10] and ranking.step == 20
    earlier = run.ranking("induction", 15)
    assert (earlier[0].layer, earlier[0].head, earlier[0].value, earlier.step) == (2, 1, 0.5, 15)
    assert repr(ranking).splitlines()[0].endswith("induction at step 20  half of its rise at step")
    assert repr(ranking).splitlines()[3].split() == ["1", "1", "0.1", "–"] and "<td>–</td>" in ranking._repr_html_()


def test_a_head_that_never_passes_chance_did_not_arise():
    series = {
        "induction_l1_h1": ([0, 10], [0.1, 0.2]),
        "induction_l1_h2": ([0, 10], [0.1, 0.9]),
        "induction_on_all_l1_h1": ([0, 10], [0.1, 0.3]),
        "induction_chance_on_all": ([0], [0.25]),
        "entropy_l1_h1": ([0, 10], [1.0, 0.4]),
        "weight_on_first_l1_h1": ([0, 10], [0.1, float("nan")]),
    }
    free = fovea.store().add("free", {}, series)
    assert [one.arose for one in free.ranking("induction")] == [10, 10]
    run = fovea.store().add("chance", {}, {**series, "induction_chance": ([0], [0.25])})
    assert [one.arose for one in run.ranking("induction")] == [10, None]
    assert [one.arose for one in run.ranking("induction_on_all")] == [10]
    assert run.ranking("entropy")[0].arose is None and run.ranking("weight_on_first")[0].arose is None


def test_what_is_not_known_of_single_heads_is_told():
    run, _ = kept()
    with pytest.raises(fovea.WrongInput, match=r"has no 'inductoin' of single heads.*'induction'"):
        run.ranking("inductoin")
    with pytest.raises(fovea.WrongInput, match="has no .induction. of single heads"):
        fovea.store().add("other", {}, {"loss": ([0], [1.0])}).ranking("induction")
    with pytest.raises(fovea.WrongInput, match="has no attention kept at step 15. The nearest is step 10"):
        run.heads(15)
    with pytest.raises(fovea.WrongInput, match="example is 2, and 2 are kept"):
        run.heads(example=2)
    with pytest.raises(fovea.WrongInput, match="has no attention kept"):
        fovea.store().add("other", {}, {"loss": ([0], [1.0])}).heads()


def test_the_maps_of_all_heads_are_drawn_with_their_tokens():
    pytest.importorskip("matplotlib").use("agg")
    run, maps = kept()
    figure = run.heads(10, example=1)
    assert [ax.get_title() for ax in figure.axes] == [
        f"layer {layer}, head {head}" for layer in (1, 2) for head in (1, 2)
    ]
    for place, ax in enumerate(figure.axes):
        drawn = ax.images[0].get_array()
        np.testing.assert_allclose(drawn, maps[1, place // 2, place % 2, 1], atol=1e-3)
        assert [label.get_text() for label in ax.get_xticklabels()] == ["5", "6", "7", "8", "9"]
    assert "example 1 at step 10" in figure.get_suptitle()


@pytest.mark.parametrize(("length", "drawn"), [(16, range(16)), (17, range(0, 17, 2)), (40, range(0, 40, 3))])
def test_axes_have_labels_and_room_for_their_ticks(length, drawn):
    pytest.importorskip("matplotlib").use("agg")
    uniform = np.full((1, length, length), 1 / length, np.float32)
    arrays = [("attention.layer.1.head.1", 0, uniform), ("attention_source", 0, np.arange(length)[None])]
    figure = fovea.store().add("long", {}, {"loss": ([0], [1.0])}, arrays).heads()
    (ax,) = figure.axes
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("position (key)", "row (query)")
    for axis in (ax.xaxis, ax.yaxis):
        assert axis.get_ticklocs().tolist() == list(drawn)
        assert [label.get_text() for label in axis.get_ticklabels()] == [str(place) for place in drawn]
    figure.canvas.draw()
    for axis, along in ((ax.xaxis, "x"), (ax.yaxis, "y")):
        boxes = [label.get_window_extent() for label in axis.get_ticklabels()]
        starts = sorted((getattr(box, f"{along}0"), getattr(box, f"{along}1")) for box in boxes)
        assert all(end <= start for (_, end), (start, _) in zip(starts, starts[1:]))


def test_a_notebook_shows_the_grid_of_heads_and_who_leads():
    run, _ = kept()
    page = run._repr_html_()
    assert page.count("data:image/png") == 4 and "layer 2, head 2" in page
    assert "induction: layer 2, head 1 has the most, 0.90, half of its rise at step 10" in page


def test_an_error_names_five_series_and_how_to_see_the_rest():
    series = {f"own_{letter}": ([0], [1.0]) for letter in "abcdefgh"}
    run = fovea.store().add("many", {}, series)
    with pytest.raises(KeyError, match="own_a, .*own_e and 3 more; list.run.series. lists all") as told:
        run.series["nothing like it"]
    assert "own_f" not in str(told.value)
    with pytest.raises(KeyError, match="did you mean 'own_h'"):
        run.series["own_hh"]


def test_a_series_of_one_point_is_drawn():
    pytest.importorskip("matplotlib").use("agg")
    axes = (
        fovea.store()
        .add("one", {}, {"agreement": ([300], [0.4]), "induction_chance": ([0], [0.1])})
        .plot("agreement", "induction_chance")
    )
    point, level = axes.lines
    assert point.get_marker() == "o" and list(point.get_xdata()) == [300]
    assert level.get_linestyle() == "--" and list(level.get_ydata()) == [0.1, 0.1]


def test_a_run_with_one_map_has_one_head():
    pytest.importorskip("matplotlib").use("agg")
    run = fovea.run("copy-subset", quick=True, steps=10, keep=False)
    (ax,) = run.heads().axes
    np.testing.assert_array_equal(ax.images[0].get_array(), run.attention()[0])
