"""The examples of the README and of docs/python.md run as printed."""

import re

import pytest

from conftest import ROOT


@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_examples_run(page):
    examples = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)
    assert examples
    names = {}
    for example in examples:
        exec(compile(example, page, "exec"), names)
