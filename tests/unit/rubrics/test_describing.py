"""What came in and what came back, as a student would say it."""

from __future__ import annotations

import jax
import numpy as np
import pytest

from grader.domain.catalogue import render
from grader.domain.results import Feedback
from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from grader.engine.protocol import Leaf, LeafKind
from rubrics.checks.values import NOT_AS_ASKED
from rubrics.comparing import Result
from rubrics.describing import describe_inputs, leaf_in_words, result_in_words
from rubrics.specs import key, raw_key

RNG = np.random.default_rng(1)


def given(array: object, kind: LeafKind = LeafKind.JAX) -> Leaf:
    return Leaf.of(np.asarray(array), kind=kind, impl="threefry2x32" if kind is LeafKind.KEY else None)


def returned(value: object) -> str:
    structure, leaves = trees.pack(value, as_result_leaf)
    return result_in_words(Result(structure=structure, leaves=leaves))


def f32(*values: float) -> jax.Array:
    return jax.numpy.asarray(values, np.float32)


def test_a_typed_key_is_called_one_and_its_words_stay_out():
    leaf = given(key.draw(RNG).array, LeafKind.KEY)
    assert list(describe_inputs([leaf], ["key"])) == [{"name": "key", "text": "a typed PRNG key"}]


def test_a_raw_key_is_called_one_with_its_form():
    assert leaf_in_words(given(raw_key.draw(RNG).array)) == "a raw PRNG key, uint32[2]"


def test_several_keys_have_a_shape():
    assert leaf_in_words(given(key[3].draw(RNG).array, LeafKind.KEY)) == "typed PRNG keys of shape (3,)"


@pytest.mark.parametrize("value", [3, True, 2.5])
def test_a_python_number_is_its_value(value: float):
    leaf = given(value, LeafKind.SCALAR)
    assert [entry["text"] for entry in describe_inputs([leaf], ["n"])] == [repr(value)]


def test_a_small_array_comes_with_its_values():
    small = given(np.asarray([1.5, 2], np.float32))
    assert [entry["text"] for entry in describe_inputs([small], ["x"])] == ["float32[2] = [1.5 2. ]"]


def test_an_abstract_key_has_no_axis_of_words():
    leaf = Leaf(kind=LeafKind.ABSTRACT, dtype="uint32", shape=(4,), impl="threefry2x32")
    assert leaf_in_words(leaf) == "typed PRNG keys of shape (4,)"


@pytest.mark.parametrize(
    "value, words",
    [
        (None, "None"),
        (f32(-1, 3), "float32[2] from -1 to 3"),
        (f32(2, 2), "float32[2], all 2"),
        (f32(1, np.nan), "float32[2] with NaN or infinity"),
        (f32(), "float32[0]"),
        ({"w": f32(1)}, "a dict of 1 ('w': float32[1], all 1)"),
        ((), "a tuple of 0"),
        ([f32()] * 6, "a list of 6 (float32[0]; float32[0]; float32[0]; float32[0]; 2 more)"),
        (object(), "an object of type builtins.object"),
    ],
)
def test_a_result_is_put_into_words(value: object, words: str):
    assert returned(value) == words


def test_a_walk_without_its_key_is_told_apart_from_one_with_it():
    walk = f32(1, 2)
    assert returned((jax.random.key(0), walk)) == "a tuple of 2 (a typed PRNG key; float32[2] from 1 to 2)"
    assert returned((walk, walk)).startswith("a tuple of 2 (float32[2]")


def test_a_result_that_is_not_as_asked_gets_no_advice_about_axes_or_tolerances():
    params = {"function": "walk", "found": returned(f32(1, 2)), "says": "a pair of a key and positions"}
    shown = render(Feedback(code=NOT_AS_ASKED, params=params))
    assert (
        shown.message
        == "`walk` returns float32[2] from 1 to 2; the task asks for a pair of a key and positions."
    )
    assert "axis" not in shown.hint
    assert "tolerance" not in shown.why
