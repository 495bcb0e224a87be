"""Landmarks tell whether an array is among those of the solution, and not what those are."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rubrics.landmarks import SKETCH, Landmarks

RNG = np.random.default_rng(3)
ARRAY = RNG.normal(size=(5, 4)).astype(np.float32)
HOLED = np.array([1.0, np.nan, 3.0, np.inf, -np.inf])


def known(*arrays: npt.NDArray[Any]) -> Landmarks:
    return Landmarks.of(arrays)


@pytest.mark.parametrize(
    "same",
    [ARRAY, -ARRAY, ARRAY[:, None], ARRAY * (1 + 1e-6), ARRAY.astype(np.float64), ARRAY.astype(np.complex64)],
    ids=["itself", "its negative", "with an axis of size 1", "rounded otherwise", "wider", "complex"],
)
def test_what_is_equal_within_rounding_is_known(same: npt.NDArray[Any]):
    assert known(ARRAY).has(same)


def test_an_array_that_differs_in_one_element_is_not_known():
    for index in np.ndindex(ARRAY.shape):
        other = ARRAY.copy()
        other[index] += 0.05
        assert not known(ARRAY).has(other)


@pytest.mark.parametrize("other", [ARRAY.T, ARRAY.ravel(), ARRAY[:4], ARRAY[::-1], ARRAY * 1.01])
def test_other_shapes_orders_and_scales_are_not_known(other: npt.NDArray[Any]):
    assert not known(ARRAY).has(other)


def test_what_is_not_finite_counts_by_its_place():
    assert known(HOLED).has(HOLED)
    assert known(HOLED).has(-HOLED)
    assert not known(HOLED).has(HOLED[[1, 0, 2, 3, 4]])
    assert not known(HOLED).has(HOLED[[0, 1, 2, 4, 3]])
    assert not known(HOLED).has(np.nan_to_num(HOLED))


@pytest.mark.parametrize(
    "array",
    [np.zeros((0, 3)), np.zeros(4), np.array(7), np.array([True, False]), np.array([2**40], np.int64)],
    ids=["empty", "zeros", "a number", "booleans", "integers"],
)
def test_every_kind_of_array_is_known_again(array: npt.NDArray[Any]):
    assert known(ARRAY, array).has(array)
    assert not known(ARRAY).has(array)


def test_a_chance_agreement_is_too_rare_to_be_met():
    drawn = known(*RNG.normal(size=(100, 6)))
    assert not any(drawn.has(other) for other in RNG.normal(size=(2000, 6)))


def test_an_array_has_more_elements_than_are_told_of_it():
    found = known(ARRAY, ARRAY * 2, ARRAY)
    assert found.sketches.shape == (2, SKETCH)
    assert ARRAY.size > SKETCH
    assert not np.isin(np.float64(ARRAY), found.sketches[:, 1:]).any()


def test_the_order_tells_nothing_of_how_the_arrays_came_about():
    one, other = known(ARRAY, ARRAY + 1, HOLED), known(HOLED, ARRAY + 1, ARRAY)
    assert one.shapes == other.shapes
    assert np.array_equal(one.sketches, other.sketches)


def test_truth_values_cannot_be_solved_for():
    """Exact sums of forty truth values would have one solution; these fit a neighbour as well."""
    truths = RNG.integers(0, 2, size=40)
    weights = np.random.default_rng(40).standard_normal((40, 2))
    told = known(truths).sketches[0, 1:3]
    assert np.abs(truths @ weights - told).max() > 1e-6
    assert np.abs(truths @ weights - told).max() < 1e-3
    assert known(truths).has(truths)


def test_an_array_at_the_edge_of_the_tolerance_is_known():
    for seed in range(200):
        array = np.random.default_rng(seed).normal(size=7)
        assert known(array).has(array * (1 + 0.99e-4))
        assert known(array * (1 - 0.99e-4)).has(array)
