"""A comparison fails closed: whatever is not exactly as asked is a difference."""

from __future__ import annotations

from typing import Any, NamedTuple

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as stn

from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from grader.engine.protocol import Leaf, LeafKind
from rubrics.comparing import Difference, Result, Tolerance, canonical, difference

DEFAULT = Tolerance()


class Pair(NamedTuple):
    a: Any
    b: Any


class Other(NamedTuple):
    a: Any
    c: Any


def as_jax(value: object) -> Leaf | None:
    """NumPy arrays stand for JAX's here; Python numbers stay what they are."""
    leaf = as_result_leaf(value)
    if leaf is None or leaf.array is None or leaf.kind is LeafKind.SCALAR:
        return leaf
    return Leaf.of(leaf.array, kind=LeafKind.JAX)


def result(value: object) -> Result:
    structure, leaves = trees.pack(value, as_jax)
    return Result(structure=structure, leaves=leaves)


def compared(actual: object, expected: object, tolerance: Tolerance = DEFAULT) -> Difference | None:
    return difference(result(actual), result(expected), tolerance=tolerance)


def code(actual: object, expected: object, tolerance: Tolerance = DEFAULT) -> str | None:
    found = compared(actual, expected, tolerance)
    return None if found is None else found.code


def f32(*values: float) -> np.ndarray[Any, Any]:
    return np.asarray(values, np.float32)


FLOATS = stn.arrays(np.float32, stn.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4))


@given(FLOATS)
def test_everything_equals_itself(array: np.ndarray[Any, Any]):
    assert code(array, array.copy()) is None


@given(FLOATS.filter(lambda array: array.size > 0), st.data())
def test_one_wrong_element_is_always_seen(array: np.ndarray[Any, Any], data: st.DataObject):
    position = data.draw(st.integers(0, array.size - 1))
    wrong = array.copy()
    old = wrong.reshape(-1)[position]
    wrong.reshape(-1)[position] = 1.0 if not np.isfinite(old) else np.nan
    assert code(wrong, array) in ("values.differ", "values.not_finite")


@given(FLOATS.filter(lambda array: array.ndim > 0))
def test_a_broadcastable_shape_is_another_shape(array: np.ndarray[Any, Any]):
    assert code(array[None], array) == "values.wrong_shape"


@pytest.mark.parametrize("strange", [np.nan, np.inf, -np.inf])
def test_a_strange_number_passes_only_for_itself(strange: float):
    assert code(f32(strange), f32(1.0)) == "values.not_finite"
    assert code(f32(1.0), f32(strange)) == "values.differ"
    assert code(f32(strange), f32(strange)) is None
    assert code(f32(-np.inf), f32(np.inf)) == "values.differ"


def test_no_tolerance_lets_a_strange_number_pass():
    wide = Tolerance(atol=np.inf, rtol=np.inf)
    assert code(f32(np.nan), f32(1.0), wide) == "values.not_finite"


def test_tolerance_is_that_of_the_expected_dtype():
    assert code(f32(1.00005), f32(1.0)) is None
    assert code(f32(1.01), f32(1.0)) == "values.differ"
    half = np.asarray([1.0], ml_dtypes.bfloat16)
    assert code(np.asarray([1.02], ml_dtypes.bfloat16), half) is None


def test_integers_are_exact_whatever_the_tolerance():
    wide = Tolerance(atol=5, rtol=5)
    assert code(np.asarray([3], np.int32), np.asarray([4], np.int32), wide) == "values.differ"


@pytest.mark.parametrize("dtype", ["float64", "float16", "int32", "bool"])
def test_another_dtype_is_a_difference(dtype: str):
    assert code(np.asarray([1], dtype), f32(1)) == "values.wrong_dtype"


def test_a_reference_in_64_bits_asks_for_what_jax_gives():
    assert canonical("float64") == "float32"
    assert code(f32(1), np.asarray([1.0])) is None


@pytest.mark.parametrize(
    "actual, expected, problem",
    [
        (None, f32(1), "values.returns_none"),
        ((f32(1), None), (f32(1), f32(2)), "values.not_an_array"),
        (None, (f32(1), f32(2)), "values.returns_none"),
        ("text", f32(1), "values.not_an_array"),
        (1.0, np.float32(1), "values.not_an_array"),
        ([f32(1)], (f32(1),), "values.wrong_structure"),
        ((f32(1),), (f32(1), f32(2)), "values.wrong_structure"),
        ({"a": f32(1)}, {"b": f32(1)}, "values.wrong_structure"),
        ({"a": f32(1), "b": f32(2)}, {"a": f32(1)}, "values.wrong_structure"),
        (Pair(f32(1), f32(2)), Other(f32(1), f32(2)), "values.wrong_structure"),
        ((f32(1), f32(9)), (f32(1), f32(2)), "values.differ"),
    ],
)
def test_structure_comes_before_values(actual: object, expected: object, problem: str):
    assert code(actual, expected) == problem


def test_the_order_of_a_dict_does_not_matter():
    assert code({"b": f32(2), "a": f32(1)}, {"a": f32(1), "b": f32(2)}) is None


def test_a_namedtuple_serves_as_the_tuple_that_it_is():
    assert code(Pair(f32(1), f32(2)), (f32(1), f32(2))) is None


def test_a_difference_says_where_how_many_and_how_far():
    found = compared({"w": f32(1, 2, 3)}, {"w": f32(1, 2, 4)})
    assert found is not None
    assert found.params == {"where": "the result['w']", "count": 1, "size": 3, "worst": 1.0}
    (evidence,) = found.evidence
    assert evidence.data["differs"] == [False, False, True]


def test_an_empty_array_of_the_right_shape_is_right():
    assert code(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32)) is None


def test_a_structure_that_names_a_missing_array_is_a_difference():
    forged = Result(structure={"t": "leaf", "i": 5}, leaves=())
    assert difference(forged, result(f32(1)), tolerance=DEFAULT) is not None


def test_a_nan_that_signals_is_a_nan_and_no_warning():
    signalling = np.array([0x7F800001, 0x3F800000], np.uint32).view(np.float32)
    found = difference(result(signalling), result(np.ones(2, np.float32)), tolerance=DEFAULT)
    assert found is not None
    assert found.code == "values.not_finite"
    assert found.evidence[0].data["actual"] == ["nan", 1.0]


def test_a_tolerance_for_float32_does_not_tighten_a_narrow_types_own():
    asked = Tolerance(atol=1e-6, rtol=1e-6)
    relaxed = Tolerance(atol=1e-6, rtol=1e-6, at_least_own=True)
    assert asked.of("bfloat16") == (1e-6, 1e-6)
    assert relaxed.of("bfloat16") == Tolerance().of("bfloat16")
    assert relaxed.of("int32") == (0.0, 0.0)
