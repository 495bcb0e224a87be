from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.shapes import SHAPE_LIMIT, line_shape, shape_at
from tests.builders import submitted


@pytest.mark.parametrize(
    "one, other",
    [
        ("x = jnp.zeros(3)", "result  =  jnp.zeros( 128 )  # a comment"),
        ("for i in range(n):", "\tfor row in range(rows):"),
        ("print('a', f\"{b}\")", 'print("other", "text")'),
        ("return (x - mean) / std", "return (y-m)/s"),
    ],
)
def test_lines_that_differ_in_their_authors_words_have_one_shape(one: str, other: str) -> None:
    assert line_shape(one) == line_shape(other)


@pytest.mark.parametrize(
    "one, other",
    [
        ("x = jnp.zeros(3)", "x = jnp.ones(3)"),
        ("x.at[0].set(v)", "x[0] = v"),
        ("return x", "yield x"),
        ("a + b", "a - b"),
        ("if not x:", "if x:"),
    ],
)
def test_lines_that_do_different_things_have_different_shapes(one: str, other: str) -> None:
    assert line_shape(one) != line_shape(other)


def test_the_shape_of_a_place_is_that_of_its_line() -> None:
    source = submitted("x = 1\ny = 2\n", helper="return z\n")
    assert shape_at(source, 2) == "_=0"
    assert shape_at(source, 1, file="helper.py") == "return _"
    assert [shape_at(source, line) for line in (None, 0, 99)] == [None, None, None]
    assert shape_at(source, 1, file="missing.py") is None


@given(st.text(max_size=400))
def test_any_text_has_a_short_shape_in_which_nothing_acts(text: str) -> None:
    shape = line_shape(text)
    assert len(shape) <= SHAPE_LIMIT
    assert "\x00" not in shape
    assert not any(0xD800 <= ord(character) <= 0xDFFF for character in shape)
