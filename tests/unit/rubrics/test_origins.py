"""What a result should not have is traced back to where it comes in."""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np
import pytest

from rubrics.origins import origin_of_nan, origin_of_type
from rubrics.ways import Way
from tests.unit.rubrics.test_straying import HEAD, X, way

IN_A_LOOP = """
def f(x):
    def step(c, r):
        c = c - jnp.sqrt(-abs(r) - 1)
        return c, None

    return lax.scan(step, jnp.zeros(7), x)[0]
"""

Origin = Callable[[Way, int], str | None]


def line(code: str, origin: Origin, *args: object) -> str | None:
    """The text of the line that `origin` names for the only result of a function."""
    found = way(code, *args)
    (position,) = found.result
    assert position is not None
    place = origin(found, position)
    lines = (HEAD + code).splitlines()
    return None if place is None else lines[int(place.removeprefix("submission.py:")) - 1].strip()


@pytest.mark.parametrize(
    "code, named",
    [
        (
            "def f(x):\n    hot = x.argmax(axis=1)\n    part = hot * 0.5\n    return part\n",
            "part = hot * 0.5",
        ),
        (
            "def f(x):\n    count = jnp.zeros(3)\n    return count.at[x.argmax(1)].add(1)\n",
            "count = jnp.zeros(3)",
        ),
        (
            "def f(x):\n    small = x.astype(jnp.bfloat16)\n    return small + 1\n",
            "small = x.astype(jnp.bfloat16)",
        ),
        ("def f(x):\n    return x * 2\n", None),
        ("def f(x):\n    a = jnp.ones(7)\n    b = jnp.zeros(7)\n    return a + b\n", None),
    ],
)
def test_the_line_that_gives_a_result_its_type_is_found(code: str, named: str | None):
    assert line(code, origin_of_type, X) == named


@pytest.mark.parametrize(
    "code, named",
    [
        (
            "def f(x):\n    low = -jnp.inf + 0 * x\n    gap = low - low\n    return gap * 2\n",
            "gap = low - low",
        ),
        ("def f(x):\n    return x / 0\n", None),
        (
            IN_A_LOOP,
            "c = c - jnp.sqrt(-abs(r) - 1)",
        ),
    ],
)
def test_the_line_that_makes_of_numbers_what_is_none_is_found(code: str, named: str | None):
    assert line(code, origin_of_nan, X) == named


def test_a_number_made_an_array_is_where_its_type_comes_from():
    code = "def f(x, rate):\n    rate = jnp.float32(rate)\n    return x.astype(jnp.float32) * rate\n"
    assert line(code, origin_of_type, X.astype(jnp.bfloat16), jnp.asarray(0.5)) is None, (
        "both lines make it float32"
    )
    alone = "def f(x, rate):\n    rate = jnp.float32(rate)\n    return rate * 2\n"
    assert line(alone, origin_of_type, X, jnp.asarray(0.5)) == "rate = jnp.float32(rate)"


def test_what_came_in_as_no_number_has_no_line():
    code = "def f(x):\n    return x + 1\n"
    assert line(code, origin_of_nan, jnp.asarray(np.where(X > 0, X, np.nan))) is None
