"""Room for rounding follows the problem: none where it is well-conditioned, more where numbers cancel."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from rubrics.comparing import Result, Tolerance, difference
from rubrics.conditioning import slack
from rubrics.drawing import Case, Draw
from rubrics.failures import SuiteMisused
from rubrics.reference import CourseFunction
from rubrics.specs import ArraySpec, f32, i32

TIGHT = Tolerance(atol=1e-6, rtol=1e-6)


def variance(x: Any) -> Any:  # noqa: ANN401 - an array of any library
    return ((x - x.mean()) ** 2).mean()


def drawn(spec: ArraySpec) -> Case:
    return Draw("seed", "check")(spec)


def judged(case: Case, off_by: float) -> bool:
    """Whether a variance so far off passes with room for rounding."""
    reference = CourseFunction(variance, ())
    expected = reference.result(case.inputs(frozenset()))
    array = expected.leaves[0].array
    assert array is not None
    wrong = CourseFunction(lambda x: variance(x) + jnp.float32(off_by), ())
    actual = wrong.result(case.inputs(frozenset()))
    return difference(actual, expected, tolerance=TIGHT, slack=slack(reference, case)) is None


def test_numbers_that_do_not_cancel_get_next_to_no_room():
    [room] = slack(CourseFunction(variance, ()), drawn(f32[64]))
    assert room is not None
    assert 0 < float(room) < 1e-5
    assert not judged(drawn(f32[64]), 1e-3)


def test_numbers_that_cancel_get_as_much_as_rounding_does_and_no_more():
    far_away = drawn(f32[64].normal(3000, 1))
    assert judged(far_away, 5e-5)
    assert not judged(far_away, 0.05)


def test_a_hopeless_case_is_the_suites_mistake():
    with pytest.raises(SuiteMisused, match="less extreme"):
        slack(CourseFunction(variance, ()), drawn(f32[4].normal(1e9, 1)))


def test_integers_stay_exact():
    [room] = slack(CourseFunction(lambda x: x + 1, ()), drawn(i32[3]))
    assert room is None


def test_room_makes_neither_nan_nor_infinity_right():
    def root(x: Any) -> Any:  # noqa: ANN401 - as above
        return jnp.sqrt(x)

    case = drawn(f32[2].full(-1, 4))
    reference = CourseFunction(root, ())
    expected = reference.result(case.inputs(frozenset()))
    assert expected.leaves[0].array is not None
    actual = CourseFunction(lambda x: jnp.nan_to_num(root(x)), ()).result(case.inputs(frozenset()))
    room = slack(reference, case)
    assert difference(expected, expected, tolerance=TIGHT, slack=room) is None
    assert difference(actual, expected, tolerance=TIGHT, slack=room) is not None
    assert isinstance(expected, Result)
    assert np.isnan(expected.leaves[0].array[0])
