"""Every public name has a docstring of NumPy's style, with the sections that it needs."""

import doctest
import inspect
import re
import sys

import pytest
from conftest import ROOT

import fovea

sys.path.insert(0, str(ROOT / "scripts"))
import python_pages  # noqa: E402


def sections(doc):
    return set(re.findall(r"^(\w[\w ]*)\n-{3,}$", doc, re.M))


def public():
    """{name: thing} of the package, of fovea.data, and of the members that fovea's own classes define."""
    found = {f"fovea.{name}": getattr(fovea, name) for name in fovea.__all__ if not name.startswith("_")}
    found["fovea.Watch"] = python_pages.without_torch("fovea.torch.watch", "Watch")
    data = found.pop("fovea.data")
    for name, thing in vars(data).items():
        if inspect.isfunction(thing) and thing.__module__ == data.__name__ and not name.startswith("_"):
            found[f"fovea.data.{name}"] = thing
    for name, thing in list(found.items()):
        if inspect.isclass(thing) and thing.__module__ != "fovea._engine":
            own = {member for one in thing.__mro__ if one.__module__.startswith("fovea") for member in vars(one)}
            for member, value in inspect.getmembers_static(thing):
                if member in own and not member.startswith("_"):
                    found[f"{name}.{member}"] = value
    return found


def lacking(name, thing):
    member = name.count(".") > (2 if name.startswith("fovea.data.") else 1)
    if isinstance(thing, property):
        return [] if thing.fget.__doc__ else ["a summary"]
    if isinstance(thing, (classmethod, staticmethod)):
        thing = thing.__func__
    if not callable(thing):
        return []  # a field, which the class's Attributes tell
    doc = inspect.getdoc(thing) or ""
    have, lacks = sections(doc), []
    if not re.match(r"[A-Zβα][^\n]*\.(\n|$| )", doc):
        lacks.append("a summary")
    if not inspect.isclass(thing):
        signature = inspect.signature(thing)
        if set(signature.parameters) - {"self", "cls"} and "Parameters" not in have:
            lacks.append("Parameters")
        if signature.return_annotation not in ("None", None) and "Returns" not in have:
            lacks.append("Returns")
        if not member and "Raises" not in have:
            lacks.append("Raises")
    elif not issubclass(thing, Exception) and not {"Parameters", "Attributes"} & have:
        if not [one for one in vars(thing) if not one.startswith("_")]:
            lacks.append("Parameters or Attributes")
    if not member and "Examples" not in have:
        lacks.append("Examples")
    return lacks


@pytest.mark.parametrize("name", sorted(public()))
def test_docstring_is_complete(name):
    assert lacking(name, public()[name]) == []


ENGINES = [name for name, thing in public().items() if getattr(thing, "__module__", "") in ("fovea", "fovea._engine")]


@pytest.mark.parametrize("name", sorted(name for name in ENGINES if inspect.isclass(public()[name])))
def test_examples_of_the_engine_run(name):
    runner = doctest.DocTestRunner()
    for example in doctest.DocTestFinder(recurse=False).find(public()[name], name, globs={}):
        runner.run(example)
    assert runner.tries > 0 and runner.failures == 0


def test_what_lacks_is_seen():
    def bare(word: str) -> str:
        """Say it"""
        return word

    assert lacking("fovea.bare", bare) == ["a summary", "Parameters", "Returns", "Raises", "Examples"]


def own_names(module):
    """The public names that a module of the package defines itself."""
    return {
        f"{module.__name__}.{name}"
        for name, thing in vars(module).items()
        if not name.startswith("_") and getattr(thing, "__module__", "").startswith("fovea.") and callable(thing)
    }


def test_the_reference_has_every_public_name_and_no_other():
    pytest.importorskip("sklearn")
    import fovea.estimators

    names = {f"fovea.{name}" for name in (*fovea.__all__, *fovea._NEED_TORCH)} - {"fovea.__version__", "fovea.data"}
    names |= own_names(fovea.data) - {"fovea.data.Corpus"}  # is fovea.Corpus
    names |= {f"fovea.estimators.{name}" for name in fovea.estimators.__all__}
    files = [file for file in (ROOT / "docs" / "reference").glob("python-*.md") if file.stem != "python-api"]
    page = "".join(file.read_text() for file in files)
    assert sorted(re.findall(r"^## (?:class )?(.*)$", page, re.M)) == sorted(names)
    watch = set(re.findall(r"^### fovea\.Watch\.(.*)$", page, re.M))
    assert watch >= {"hold", "ablate", "intervening", "step", "close", "cost", "state_dict", "load_state_dict", "sites"}


@pytest.mark.parametrize("name", ["ProbeBatch", "ProbeModel", "ProbeOutcome", "Step"])
def test_every_attribute_of_the_engine_has_a_type(name):
    thing = getattr(fovea, name)
    listed = inspect.getdoc(thing).split("Attributes\n----------\n")[1].split("\n\n")[0]
    names = re.findall(r"^(\w+) : \S.*$", listed, re.M)
    assert sorted(names) == sorted(one for one in vars(thing) if not one.startswith("_"))
