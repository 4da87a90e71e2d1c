"""The examples of the README and of docs/python.md run as printed."""

import importlib.util
import re

import pytest
from conftest import ROOT


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_run(page):
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert examples
    names = {}
    for example in examples:
        if "import torch" in example and importlib.util.find_spec("torch") is None:
            continue
        exec(compile(example, f"<{page}>", "exec"), names)
