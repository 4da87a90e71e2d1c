"""Runs on texts, at work on texts of one's own; corpora and files; measures and comparisons."""

import json

import numpy as np
import pytest

import fovea

pytestmark = pytest.mark.filterwarnings("ignore:text-.* is a sweep")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return fovea.run("text-classify", quick=True, steps=150, store=tmp_path_factory.mktemp("texts") / "runs.db")


def test_the_words_of_a_run_are_those_it_was_trained_on(run):
    assert (
        run.words.classes == ["negative", "positive"]
        and "dull" in run.words.source
        and run.words.target is run.words.source
    )
    assert run.words.source == fovea.run("text-classify", quick=True, steps=1, keep=False).words.source
    translator = fovea.run("text-translate", quick=True, steps=1, keep=False)
    assert "fish" in translator.words.target and translator.words.classes == []
    with pytest.raises(fovea.WrongInput, match="has no words"):
        _ = fovea.store().add("mine", {}, {"loss": ([0], [1.0])}).words


def test_what_a_run_says_of_texts(run):
    texts, labels = fovea.data.corpus("made-reviews").texts("test")
    said = run.predict(texts)
    right = np.mean([a == b for a, b in zip(said, labels)])
    assert right == pytest.approx(run.metrics["accuracy"], abs=0.02) and right > 0.9
    again = fovea.store(run._store)[run.id]
    assert again.predict(texts[:50]) == said[:50] and again.predict([]) == []


def test_a_text_is_shaded_by_what_was_learned(run):
    seen = run.inspect("The plot was DULL, zzzz.")
    assert seen.words == ["the", "plot", "was", "dull", ",", "zzzz", "."] and not seen.known[5] and seen.known[3]
    assert seen.answer == "negative" == run.predict(["The plot was DULL, zzzz."])[0]
    assert sum(seen.chances.values()) == pytest.approx(1) and max(seen.chances, key=seen.chances.get) == "negative"
    assert seen.attention.sum() == pytest.approx(1, abs=1e-5)
    odds = np.log(seen.chances["negative"] / seen.chances["positive"])
    assert seen.evidence.sum() == pytest.approx(odds, abs=1e-3)  # of two classes the logit
    assert (
        repr(seen).startswith("negative, with probability 0.") and "not known: " in repr(seen) and "α·β" in repr(seen)
    )
    assert seen._repr_html_().count("<tr>") == 3 and ">dull</span>" in seen._repr_html_()
    assert run.inspect("").words == ["(no word)"]
    with pytest.raises(fovea.WrongInput, match="text is 3, of type int"):
        run.inspect(3)
    with pytest.raises(fovea.WrongInput, match="texts is one text"):
        run.predict("a text")


def test_a_run_in_a_notebook_has_its_words(run):
    page = run._repr_html_()
    first = run.arrays["attention_source"][0][0].astype(int)
    for number in first[first >= 0][:5]:
        assert f">{run.words.source[number]}</span>" in page.replace("&#x27;", "'")
    translator = fovea.run("text-translate", quick=True, steps=1, keep=False)
    assert "<b>" in translator._repr_html_().split("data:image/png")[1]
    assert "</span>" not in fovea.run("copy-subset", quick=True, steps=1, keep=False)._repr_html_()


def test_other_runs_have_no_texts():
    for made in (
        fovea.run("copy-subset", quick=True, steps=1, keep=False),
        fovea.run("text-translate", quick=True, steps=1, keep=False),
    ):
        with pytest.raises(fovea.WrongInput, match="not one of labelled texts"):
            made.inspect("a text")


def test_runs_on_texts_keep_their_weights(tmp_path):
    made = fovea.run(
        "text-classify", steps=1, probes=["loss"]
    )  # wider than runs of other experiments whose weights are kept
    assert sum(values.size for values in made.weights().values()) > 262_144
    assert set(fovea.store()[made.id].weights()) == set(made.weights())


def test_files_and_corpora(tmp_path, program):
    file = tmp_path / "films.csv"
    file.write_text(
        "id,class,title,body\n"
        + "".join(f"{n},{'+-'[n % 2]},Film {n},so {'good bad'.split()[n % 2]}\n" for n in range(100))
    )
    texts, labels = fovea.data.read(file, label="class", text=["title", "body"])
    assert texts[1] == "Film 1 so bad" and labels[:2] == ["+", "-"] and len(texts) == 100
    assert fovea.data.read(file, label=2, text=4)[0][0] in ("so good", "body")
    added = fovea.data.add("films", file, label="class", text=["title", "body"], shares=(0.2, 0.1), seed=3)
    shown = program("data", "show", "films")
    assert (
        added.digest == shown["digest"]
        and added.examples == {"train": 70, "validation": 20, "test": 10} == shown["examples"]
    )
    assert added in fovea.data.corpora() and fovea.data.corpus("films") == added
    every = [text for split in added.examples for text in added.texts(split)[0]]
    assert sorted(every) == sorted(texts)
    assert fovea.check_attention(*added.texts(), seeds=2, epochs=2, hidden=8, progress=False).facts["texts"] == 70
    with pytest.raises(fovea.WrongInput, match="a corpus with the name 'films' exists"):
        fovea.data.add("films", file, label="class", text="title")
    fovea.data.remove("films")
    with pytest.raises(fovea.WrongInput, match="'films'"):
        fovea.data.corpus("films")


@pytest.mark.parametrize(
    "words, says",
    [
        (dict(), "neither a class nor a translation"),
        (dict(label="clas", text=2), "clas"),
        (dict(label=1, format="xml"), "there is no format 'xml'"),
        (dict(label=1, validation_target="x"), "validation is missing"),
        (dict(label=0), "label"),
    ],
)
def test_wrong_corpora_are_named(tmp_path, words, says):
    file = tmp_path / "texts.tsv"
    file.write_text("a\tone\nb\ttwo\n")
    with pytest.raises(fovea.WrongInput, match=says):
        fovea.data.add("mine", file, **words)
    with pytest.raises(fovea.WrongInput, match="there is no split 'tests'"):
        fovea.data.corpus("made-reviews").texts("tests")


def test_measures_are_the_programs(program):
    runs = fovea.sweep("text-classify", quick=True, steps=20, seeds=range(2), attention="learned")
    found = fovea.measure(runs[0])
    assert found.to_dict() == program("measure", runs[0].id)
    assert fovea.measure(*runs).to_dict() == program("measure", runs[0].id, runs[1].id)
    assert found.to_dict() != fovea.measure(runs[0], only="negative").to_dict()
    assert found.sentences[0].startswith("Another seed's attention") and repr(found).startswith(found.sentences[0])
    table = pytest.importorskip("pandas") and found.to_pandas()
    assert list(table.a) == [row["a"] for row in found.to_dict()["agreement"]]
    with pytest.raises(fovea.WrongInput, match="be in one store"):
        fovea.measure(fovea.run("text-classify", quick=True, steps=1, keep=False))
    with pytest.raises(fovea.WrongInput, match="there is no class 'negativ'"):
        fovea.measure(runs[0], only="negativ")


def test_comparisons_are_the_programs(program):
    a, b = (fovea.sweep("toy-uniform", seeds=range(3), rate=rate, steps=20) for rate in (0.01, 0.02))
    shown = program("compare", "train.rate = 0.01", "train.rate = 0.02", "--metric", "loss")
    found = fovea.compare(a, list(b), "loss").to_dict()
    assert found == {key: value for key, value in shown.items() if key not in ("a", "b")}
    assert found == fovea.compare("train.rate = 0.01", "train.rate = 0.02", "loss").to_dict() and found["pairs"] == 3
    every = fovea.compare(a[0], b[0])
    assert list(every.metrics) == [one["metric"] for one in program("compare", a[0].id, b[0].id)["metrics"]]
    assert f"run {a[0].id}" in repr(every) and json.loads(json.dumps(every.to_dict())) == every.to_dict()
    with pytest.raises(fovea.WrongInput, match="no run meets the condition"):
        fovea.compare("train.rate = 7", b)
    with pytest.raises(fovea.WrongType, match="a is 3, of type int"):
        fovea.compare(3, b)
    with pytest.raises(fovea.WrongInput, match="no run of a or b has a metric or setting 'los'. Did you mean 'loss'?"):
        fovea.compare(a, b, "loss", "los")
    with pytest.raises(fovea.WrongInput, match="has a metric or setting 'train.rat'. Did you mean 'train.rate'?"):
        fovea.compare(a, b, "train.rat")
    assert len(fovea.compare(a, b, "seed", "steps", "steps_to_90", "train.rate", "log(abs(loss))").metrics) == 5
