"""An exception is described in plain data, however hostile it is."""

from __future__ import annotations

import json
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from grader.engine.candidate.faults import MAX_CAUSES, MAX_FRAMES, MAX_TEXT, describe


def raised(text: str, name: str = "f") -> BaseException:
    space: dict[str, Any] = {"jax": jax, "jnp": jnp}
    exec(compile(text, "submission.py", "exec"), space)  # noqa: S102 - a submission of the test's own
    with pytest.raises(BaseException) as caught:  # noqa: PT011 - any
        space[name]()
    return caught.value


def told(text: str) -> dict[str, Any]:
    described = describe(raised(text), {"submission.py"})
    return json.loads(json.dumps(described))  # type: ignore[no-any-return]


def test_the_innermost_submitted_frame_comes_last():
    described = told("def g():\n    return [][1]\ndef f():\n    return g()\n")
    assert [(frame["line"], frame["function"]) for frame in described["frames"]] == [(4, "f"), (2, "g")]
    assert (described["type"], described["bases"][1]) == ("IndexError", "LookupError")


def test_what_an_exception_was_raised_from_is_told_the_nearest_first():
    described = told(
        "def f():\n    try:\n        [][1]\n    except IndexError as exc:\n"
        "        raise ValueError from exc\n"
    )
    assert described["causes"] == ["IndexError"]


def test_endless_or_forged_causes_are_bounded_or_left_out():
    circle = (
        "def f():\n    a, b = ValueError(), KeyError()\n    a.__cause__, b.__cause__ = b, a\n    raise a\n"
    )
    assert len(told(circle)["causes"]) == MAX_CAUSES
    forged = (
        "class Forged(Exception):\n    @property\n    def __cause__(self):\n        raise SystemExit\n"
        "def f():\n    raise Forged\n"
    )
    assert told(forged)["causes"] == []


def test_frames_of_libraries_are_left_out():
    described = told("def f():\n    return jnp.reshape(jnp.ones(3), (2, 2))\n")
    assert [frame["file"] for frame in described["frames"]] == ["submission.py"]


def test_a_syntax_error_has_the_line_it_is_about():
    described = told("def f():\n    compile('x = 1\\ny = (', 'submission.py', 'exec')\n")
    assert [(frame["line"], frame["column"]) for frame in described["frames"]] == [(2, 5)]


@pytest.mark.parametrize(
    "body",
    ["raise SystemExit", "return 3", "return 'x' * 10 ** 7", "return self", "while True: return chr(0xd800)"],
)
def test_a_hostile_text_is_bounded_or_empty(body: str):
    described = told(
        f"class Hostile(Exception):\n    def __str__(self):\n        {body}\ndef f():\n    raise Hostile\n"
    )
    assert described["type"] == "Hostile"
    assert len(described["text"]) <= MAX_TEXT


def test_a_recursion_keeps_its_last_frames():
    assert len(told("def f():\n    return f()\n")["frames"]) == MAX_FRAMES


def test_names_that_are_texts_of_pages_are_cut():
    described = told("Long = type('L' * 10_000, (Exception,), {})\ndef f():\n    raise Long\n")
    assert len(described["type"]) == 100


def test_a_name_attribute_that_raises_does_no_harm():
    text = "class Odd(Exception):\n    @property\n    def name(self):\n        raise KeyError\n"
    assert told(text + "def f():\n    raise Odd\n")["name"] == ""


def test_what_jax_says_about_the_code_around_is_left_out():
    text = "def f():\n    return jax.jit(g)(1.0)\ndef g(x):\n    return 1 if x > 0 else 2\n"
    assert "grader/engine" not in told(text)["text"]
