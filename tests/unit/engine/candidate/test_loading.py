"""Submitted texts are imported from memory, shadow nothing, and missing plotting packages cost nothing."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping

import pytest

from grader.engine.candidate.loading import Inert, Library


@pytest.fixture
def library() -> Iterator[Callable[..., Library]]:
    """Makes installed libraries, and takes them out again."""
    finders, modules, lines = list(sys.meta_path), set(sys.modules), set(linecache.cache)

    def make(files: Mapping[str, str] | None = None, **texts: str) -> Library:
        made = Library(files or {name.replace("__", "/") + ".py": text for name, text in texts.items()})
        made.install()
        return made

    yield make
    sys.meta_path[:] = finders
    for name in set(sys.modules) - modules:
        del sys.modules[name]
    for name in set(linecache.cache) - lines:
        del linecache.cache[name]


def test_the_main_file_is_never_main(library: Callable[..., Library]):
    main = library(main="name = __name__\nfile = __file__").load("main.py")
    assert (main.name, main.file) == ("main", "main.py")


def test_helpers_are_imported_from_memory(library: Callable[..., Library]):
    main = library(main="from aside import two\nimport aside", aside="two = 2").load("main.py")
    assert (main.two, main.aside.__file__) == (2, "aside.py")


def test_packages_need_no_init_file_and_may_import_relatively(library: Callable[..., Library]):
    made = library(
        main="from tools_x.sums import add\nimport tools_x.deep.er",
        tools_x__sums="from . import names\nfrom .names import one\ndef add(x): return x + one",
        tools_x__names="one = 1",
        tools_x__deep__er="",
    )
    assert made.load("main.py").add(1) == 2


def test_an_init_file_makes_a_package(library: Callable[..., Library]):
    made = library({"main.py": "import tools_y\nfrom tools_y import two", "tools_y/__init__.py": "two = 2"})
    assert made.load("main.py").two == 2


def test_a_helper_never_shadows_an_installed_package(library: Callable[..., Library]):
    main = library(main="import json, numpy", json="raise SystemExit", numpy="x = 1").load("main.py")
    assert main.json.dumps(1) == "1"
    assert main.numpy.ones(1)


def test_helpers_may_import_each_other_in_a_circle(library: Callable[..., Library]):
    made = library(main="import left_x", left_x="import right_x\na = 1", right_x="import left_x\nb = 2")
    assert made.load("main.py").left_x.right_x.b == 2


def test_errors_show_the_submitted_line(library: Callable[..., Library]):
    with pytest.raises(ZeroDivisionError) as caught:
        library(main="x = 1\ny = x / 0").load("main.py")
    assert "y = x / 0" in "".join(traceback.format_exception(caught.value))


def test_a_missing_package_stays_missing(library: Callable[..., Library]):
    with pytest.raises(ModuleNotFoundError, match="pandas_x"):
        library(main="import pandas_x").load("main.py")


def test_a_missing_plotting_package_does_nothing_and_is_remembered(library: Callable[..., Library]):
    text = """
import plotly.express as px
from plotly.graph_objects import Figure
fig, ax = px.subplots()
ax.plot([1, 2], label="x")
ax.lines[0].set(color="red")
with px.style.context("dark"), px.settings({"size": 3}):
    px.show()
for part in px.progress([1, 2]): seen = part
@px.interact
def f(x): return x
"""
    made = library(main=text)
    main = made.load("main.py")
    assert list(made.stand_ins) == ["plotly"]
    assert (main.f(3), main.seen) == (3, 2)


def test_a_stand_in_passes_for_nothing_of_pythons_own():
    with pytest.raises(AttributeError):
        Inert().__array__  # noqa: B018 - the look-up is the test
    assert not hasattr(Inert(), "__jax_array__")
