"""Examples in docstrings are executed: they are read more often than any guide."""

from __future__ import annotations

import doctest
import importlib

import pytest

from tests.architecture.modules import module_name, sources

WITH_EXAMPLES = [module_name(file) for file in sources() if ">>> " in file.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_the_examples_are_true_in(name: str) -> None:
    outcome = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert outcome.attempted > 0
    assert outcome.failed == 0
