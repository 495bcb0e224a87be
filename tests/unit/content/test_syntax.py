import ast
import warnings

import pytest

from grader.content.syntax import SyntaxProblem, defined_names, definitions, parse, parses


def test_a_module_is_parsed():
    assert isinstance(parse("x = 1\n"), ast.Module)


@pytest.mark.parametrize(
    "text,line,says",
    [
        ("x = 1\ndef f(:\n", 2, "invalid syntax"),
        ("x = 'é\n", 1, "unterminated"),
        ("x = (1,\n", 1, "never closed"),
        ("if x:\ny = 1\n", 2, "expected an indented block"),
        ("x = '\0'\n", None, "null bytes"),
        ("x = '\ud800'\n", None, "surrogates"),
        ("(" * 5000, 1, "too many nested parentheses"),
        ("-" * 100_000 + "1", None, "nested too deeply"),
        ("x" + ".a" * 100_000, None, "nested too deeply"),
        ("lambda:" * 50_000 + "1", None, "nested too deeply"),
    ],
)
def test_why_a_text_is_not_python_is_said_with_the_line(text: str, line: int | None, says: str):
    problem = parse(text)
    assert isinstance(problem, SyntaxProblem)
    assert says in problem.reason
    assert problem.line == line


@pytest.mark.parametrize(
    "text",
    [
        "[a " + "for a in b " * 40_000 + "]",
        "if x: pass\n" + "elif x: pass\n" * 20_000,
        "x = " + "9" * 100_000,
    ],
)
def test_no_text_brings_the_process_down(text: str):
    parse(text)


def test_a_doubtful_escape_is_no_warning_of_ours():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parses(r"pattern = '\d'")


def test_the_names_a_module_binds_when_loaded_are_found():
    text = """
import jax.numpy as jnp
import os.path
from helpers import *
from helpers import smooth, walk as stroll
a = b, (c) = 1, 2
normalize = jax.jit(lambda x: x)
typed: int = 3
if True:
    def inside_if(): ...
else:
    def inside_else(): ...
try:
    def inside_try(): ...
except ImportError:
    def inside_except(): ...
with open("x"):
    def inside_with(): ...
for step in range(3):
    def inside_for(): ...
match a:
    case 1:
        def inside_case(): ...
class Model:
    def method(self): ...
def outer():
    def inner(): ...
"""
    found = defined_names(text)
    assert found >= {
        "jnp",
        "os",
        "*",
        "smooth",
        "stroll",
        "a",
        "b",
        "c",
        "normalize",
        "typed",
        "step",
        "Model",
        "outer",
    }
    assert found >= {f"inside_{where}" for where in ("if", "else", "try", "except", "with", "for", "case")}
    assert not found & {"method", "inner", "self", "walk"}


def test_a_text_that_is_not_python_defines_nothing():
    assert defined_names("def f(:") == frozenset()


@pytest.mark.parametrize(
    "head,parameters,required",
    [
        ("def f(x, y):", ("x", "y"), 2),
        ("def f(x, /, y=1, *, z, w=2):", ("x", "y", "z", "w"), 2),
        ("async def f():", (), 0),
        ("def f(*args):", None, 0),
        ("def f(x, **options):", None, 0),
        ("@jax.jit\ndef f(x):", None, 0),
    ],
)
def test_the_parameters_of_a_function_are_known_where_they_are_certain(
    head: str, parameters: tuple[str, ...] | None, required: int
):
    module = parse(f"{head}\n    ...\n")
    assert isinstance(module, ast.Module)
    [found] = definitions(module)
    assert (found.parameters, found.required, found.is_function) == (parameters, required, True)
