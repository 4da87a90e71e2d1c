"""scripts/result_parts.py: which kept results depend on what."""

import importlib.util
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
spec = importlib.util.spec_from_file_location("result_parts", ROOT / "scripts" / "result_parts.py")
parts = importlib.util.module_from_spec(spec)
spec.loader.exec_module(parts)


class Edited(parts.Tree):
    """The working tree with one file changed."""

    def __init__(self, file, change):
        super().__init__()
        self.texts[file] = change(self.read(file))


def changed(experiment, file, change):
    before = parts.parts_of(experiment, parts.Tree())
    return parts.changed_parts(before, parts.parts_of(experiment, Edited(file, change)))


def test_a_change_of_a_part_is_a_change_of_what_uses_it():
    def more(text):
        return text + "\nint another = 1;\n"

    assert changed("keyword-lstm", "fovea/model/gated_classifier.cpp", more) == ["model"]
    assert changed("keyword-lstm", "fovea/nn/simd/lstm.cpp", more) == ["model"]
    assert changed("toy-uniform", "fovea/model/gated_classifier.cpp", more) == []
    assert changed("keyword-lstm", "fovea/data/tasks/keyword.cpp", more) == ["task"]
    assert "claims" in changed("keyword-lstm", "fovea/base/statistics.cpp", more)
    assert "training" in changed("keyword-lstm", "fovea/nn/optimizer/optimizer.cpp", more)


def test_comments_and_texts_are_no_change():
    assert changed("keyword-lstm", "fovea/model/gated_classifier.cpp", lambda text: "// more\n" + text.replace("  ", "    ")) == []
    assert changed("keyword-lstm", "experiments/keyword-lstm.toml", lambda text: text.replace('says = "', 'says = "So: ')) == []
    assert changed("keyword-lstm", "experiments/keyword-lstm.toml", lambda text: text.replace("steps = 400", "steps = 401")) == ["experiment"]


def test_every_part_that_an_experiment_names_has_its_file():
    tree = parts.Tree()
    for file in (ROOT / "experiments").glob("*.toml"):
        for kind, names in parts.names_in(parts.tomllib.loads(file.read_text())).items():
            for name in names:
                assert tree.place_of(kind, name), f"{file.stem}: {kind} {name}"
