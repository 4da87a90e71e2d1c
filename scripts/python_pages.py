"""The pages of the Python API, from signatures and docstrings. For scripts/reference."""

import __future__

import ast
import contextlib
import inspect
import pathlib
import re
import sys

from metric_pages import anchor
from peer_seeds import table
from setting_tables import cell

HERE = pathlib.Path(__file__).resolve().parent.parent
# What modules of the package call of each other's objects, and scikit-learn's own: no part of the API.
INNER = {"Similarity.at_work", "Store.require_place", "Task.lent", "Task.of_shape"}
INNER |= {f"{name}.set_score_request" for name in ("AttentionClassifier", "NadarayaWatson")}
# Names in signatures that are no classes of the package.
TYPES = [
    ["`SpecLike`", "text, path or dict", "an experiment's name, the path of a file, or the content of a file"],
    ["`Probes`", "text, `fovea.Probe`, or several", "names of [probes](probes.md), and probes in Python"],
    ["`OnStep`", "function of a [`fovea.Step`](python-parts.md#class-foveastep)", "called at every update"],
    [
        "`Intervene`",
        "function of a number of updates",
        "returns None, or [interventions](interventions.md) as a dict or a list of dicts",
    ],
    ["`Group`", "`Run`, `RunTable`, list of runs, or text", "runs, or a [condition](expressions.md) that finds them"],
    ["`Path`", "text or path", "a file or folder"],
    ["`Array`", "NumPy array of float32", "its shape is given, as in (examples, rows, positions)"],
    [
        "`Batches`",
        "function of (split, seed, size)",
        "yields dicts of arrays ([`fovea.Task`](python-parts.md#class-foveatask))",
    ],
]


def signature(thing):
    if inspect.isclass(thing) and "\nParameters\n---" not in (inspect.getdoc(thing) or ""):
        return ""  # the package makes it
    try:
        text = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return ""
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)
    return re.sub(r"\b(?:_engine|npt|np)\.", "", text)


def call_text(name, text):
    """A call with its signature as a block of code: one argument a line, if it is long."""
    if len(name + text) > 100 and text.startswith("("):
        depth, parts, end = 0, [""], 0
        for end, letter in enumerate(text):
            depth += (letter in "([{") - (letter in ")]}")
            if depth == 0:
                break
            if letter == "," and depth == 1:
                parts.append("")
            elif end > 0:
                parts[-1] += letter
        text = "(\n" + "".join(f"    {part.strip()},\n" for part in parts) + text[end:]
    return f"```python\n{name}{text}\n```"


def arguments(thing):
    """{argument: (its type, its default)} of a signature, as text; empty texts if there is none."""
    try:
        given = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return {}
    found = {}
    for one in given:
        type_text = one.annotation if isinstance(one.annotation, str) else getattr(one.annotation, "__name__", "")
        type_text = re.sub(r"\b(?:_engine|npt|np|inspect)\.|'|_empty", "", type_text)
        has_default = one.default is not inspect.Parameter.empty
        found[one.name] = (type_text, repr(one.default) if has_default else "")
    return found


def argument_text(line, given):
    """The head of an entry of Parameters: each name with its type and default."""
    names, _, type_text = line.partition(" : ")
    heads = []
    if names.count(", ") > 2:  # as in another function, which has their types
        return f"`{line}`"
    for name in names.split(", "):
        its_type, default = given.get(name.lstrip("*"), ("", ""))
        facts = [f"`{type_text or its_type}`"] if type_text or its_type else []
        facts += [f"default `{default}`"] if default and not name.startswith("*") else []
        heads.append(f"`{name}`" + (f" ({', '.join(facts)})" if facts else ""))
    return ", ".join(heads)


def section_text(name, lines, given):
    """The lines under a heading of NumPy's style as Markdown: a list, if they are names with descriptions."""
    if name == "Examples":
        return example_text(lines)
    items, text = [], []
    for line, following in zip(lines, [*lines[1:], ""]):
        if line and not line.startswith(" ") and following.startswith("    "):
            items.append([f"- {argument_text(line, given) if name == 'Parameters' else f'`{line}`'}:"])
        elif line.startswith("    ") and items:
            items[-1].append(line.strip())
        elif line:
            text.append(line)
    return "\n".join([*text, *(" ".join(item) for item in items)])


def example_text(lines):
    out, fenced = [], False
    for line in lines:
        if line.startswith(">>> ") and not fenced:
            out, fenced = [*out, "", "```python", line], True
        elif fenced and not line.strip():
            out, fenced = [*out, "```", ""], False
        else:
            out.append(line)
    return "\n".join([*out, "```"] if fenced else out).strip()


def markdown_tables(text):
    """Simple tables of reStructuredText as tables of Markdown. A row that begins with blanks continues the one before."""

    def markdown(match):
        rule, head, body = match[1], match[2], match[3]
        spans = [run.span() for run in re.finditer("=+", rule)]
        ends = [start for start, _ in spans[1:]] + [None]
        cut = lambda line: [line[start:end].strip() for (start, _), end in zip(spans, ends)]
        rows = []
        for line in body.splitlines():
            if line.startswith(" ") and rows:
                rows[-1] = [f"{a} {b}".strip() for a, b in zip(rows[-1], cut(line))]
            else:
                rows.append(cut(line))
        return "\n".join(table(cut(head), [[cell(one) for one in row] for row in rows]))

    return re.sub(r"^(=+(?: +=+)+)\n(.*)\n\1\n((?:.*\n)*?)\1$", markdown, text, flags=re.M)


def docstring(thing):
    """A docstring of NumPy's style as Markdown."""
    given = arguments(thing)
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", inspect.getdoc(thing) or "", flags=re.M)
    text = [example_text(markdown_tables(parts[0]).splitlines())]
    for name, body in zip(parts[1::2], parts[2::2]):
        text += [f"**{name}**", section_text(name, body.strip("\n").splitlines(), given)]
    whole = re.sub(r"\n{3,}", "\n\n", "\n\n".join(filter(None, text)))
    return re.sub(r"(?<!`)``(?!`)", "`", whole)


def source(thing):
    path = pathlib.Path("python", *thing.__module__.split(".")).with_suffix(".py")
    return f"[source](../../{path}#{thing.__name__})" if (HERE / path).exists() else ""


def members(thing):
    """What fovea's own classes define: (name, function, whether it is a property). Attributes of the engine are in its docstrings."""
    own = {name for one in thing.__mro__ if one.__module__.startswith("fovea.") for name in vars(one)}
    for name, member in inspect.getmembers_static(thing):
        if name in own and not name.startswith("_") and f"{thing.__name__}.{name}" not in INNER:
            is_property = isinstance(member, property)
            if thing.__module__ != "fovea._engine" if is_property else callable(getattr(thing, name)):
                yield name, member.fget if is_property else getattr(thing, name), is_property


def without_torch(module, name):
    """A class of a module that needs PyTorch, with its signatures and docstrings alone: the page is the same without PyTorch."""
    tree = ast.parse((HERE / "python" / module.replace(".", "/")).with_suffix(".py").read_text())
    tree.body = [one for one in tree.body if isinstance(one, ast.ClassDef) and one.name == name]
    code = compile(tree, module, "exec", __future__.annotations.compiler_flag, dont_inherit=True)
    names = {"__name__": module, "contextlib": contextlib}
    exec(code, names)
    return names[name]


def title_of(name, thing):
    return f"class {name}" if inspect.isclass(thing) else name  # apart from the function that makes it, as in fovea.run


def api_of(name, thing):
    called = inspect.isroutine(thing) or inspect.isclass(thing)
    parts = [f"## {title_of(name, thing)}"]
    if called:
        parts.append(call_text(name, signature(thing).removesuffix(" -> None")))
    parts += [text for text in (docstring(thing), source(thing)) if text]
    if inspect.isclass(thing):
        for member, got, is_property in members(thing):
            text = f"### {name}.{member}\n\n"
            if not is_property:
                text += call_text(member, signature(got)) + "\n\n"
            parts.append(text + docstring(got))
    return "\n\n".join(parts)


def public_names():
    """{name: thing} of the package, and of its modules for data and estimators."""
    import fovea.estimators

    found = {f"fovea.{name}": getattr(fovea, name) for name in fovea.__all__ if not name.startswith("_")}
    found["fovea.Watch"] = without_torch("fovea.torch.watch", "Watch")
    found = {name: found[name] for name in sorted(found) if not inspect.ismodule(found[name])}
    for module in (fovea.data, fovea.estimators):
        its = {f"{module.__name__}.{name}": getattr(module, name) for name in module.__all__}
        found |= {name: thing for name, thing in its.items() if thing not in found.values()}
    return found


# A page for each group: its name, its heading, how its introduction begins, an example, and its members
GROUPS = [
    (
        "runs",
        "Train, and read runs",
        "how a run is trained, found, read and compared",
        'run = fovea.run("copy-subset", quick=True)',
        "run sweep resume store compare describe Run RunTable Store Comparison Words",
    ),
    (
        "prediction",
        "Predict before training",
        "what data predict before a model is trained",
        'print(fovea.predict("copy", vocab=40, length=40))',
        "predict Prediction TracePrediction Shading",
    ),
    (
        "attention",
        "Check attention on texts",
        "how attention is checked, measured and audited",
        "print(fovea.check_attention(texts, labels))",
        "check_attention measure audit Belief Measures Inspection Audit Assumption",
    ),
    (
        "pytorch",
        "PyTorch",
        "how a PyTorch model is observed, checked and exchanged",
        'watch = fovea.observe(model, batch, answer, name="mine")',
        "observe attention_sites check_classifier to_torch from_torch lightning_callback trainer_callback Watch Head HeadRanking "
        "ClassifierCheck Model",
    ),
    (
        "parts",
        "Your own parts",
        "how a task, a probe or a similarity of yours is written",
        "task = fovea.Task(batches, vocab=9, classes=2)",
        "Task Probe Similarity Step ProbeBatch ProbeOutcome ProbeModel",
    ),
    (
        "texts",
        "Texts and estimators",
        "how texts are added, and the estimators of scikit-learn",
        'fovea.data.add("mine", train="reviews.tsv", label=1, text=2)',
        "data.add data.read data.cut data.corpus data.corpora data.remove Corpus estimators.AttentionClassifier "
        "estimators.NadarayaWatson",
    ),
    (
        "errors",
        "Errors",
        "the exceptions of the package",
        'fovea.run("copy-subste")',
        "Error WrongInput WrongType Failure",
    ),
]


def rows_of(members, names, page):
    """A row for each name of a group: its link, and the first sentences of its docstring."""
    for name in (f"fovea.{one}" for one in members.split()):
        first = re.sub(r"\s+", " ", (inspect.getdoc(names[name]) or "").split("\n\n")[0])
        link = f"[`{name}`]({page}#{anchor(title_of(name, names[name]))})"
        yield [link, cell(re.sub(r"``([^`]*)``", r"`\1`", first))]


def python_pages(page):
    """{name of a page: its text}: an index, and a page for each group."""
    names = public_names()
    listed = {f"fovea.{name}" for *_, members in GROUPS for name in members.split()}
    if listed != set(names):
        sys.exit(
            f"GROUPS in scripts/python_pages.py and the package differ in {', '.join(sorted(listed ^ set(names)))}"
        )
    heads = ["name", "does or is"]
    made, parts = {}, []
    for key, heading, subject, example, members in GROUPS:
        file = f"python-{key}"
        rows = list(rows_of(members, names, f"{file}.md"))
        parts.append(f"## {heading}\n\nPage: [{heading}]({file}.md).\n\n" + "\n".join(table(heads, rows)))
        intro = f"Find here {subject}. [Python API](python-api.md) lists all names.\n\n```python\nimport fovea\n\n{example}\n```"
        own = "\n".join(table(heads, list(rows_of(members, names, ""))))
        entries = [api_of(f"fovea.{one}", names[f"fovea.{one}"]) for one in members.split()]
        made[file] = page(f"Python: {heading}", intro, own, *entries)
    intro = (
        "Find here every public name of the package. Each links to its page, which has the docstring. [Use Fovea from Python](../how-to/use-python.md) "
        'shows them at work.\n\n```python\nimport fovea\n\nrun = fovea.run("copy-subset", quick=True)\n```'
    )
    types = "## Types in signatures\n\n" + "\n".join(table(["name", "is", "content"], TYPES))
    made["python-api"] = page("Python API", intro, *parts, types)
    return made
