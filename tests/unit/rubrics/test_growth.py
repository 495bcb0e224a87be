"""Programs that are unrolled are told from programs that only need a few operations more."""

from __future__ import annotations

import pytest

from rubrics.checks.jit import _grows

SIZES = (8, 16, 32)
RIGHT = {
    "constant": (20, 20, 20),
    "a longer draw in the library": (60, 62, 62),
    "log n": (30, 36, 42),
    "smaller for a round size": (40, 38, 39),
}
WRONG = {
    "a loop of one operation": (10, 18, 34),
    "a loop of four": (40, 72, 136),
    "two nested loops": (70, 260, 1030),
    "half the steps unrolled": (14, 18, 26),
}


@pytest.mark.parametrize("ops", RIGHT.values(), ids=RIGHT)
def test_a_program_of_one_length_does_not_grow(ops: tuple[int, ...]):
    assert not _grows(SIZES, ops)


@pytest.mark.parametrize("ops", WRONG.values(), ids=WRONG)
def test_an_unrolled_loop_grows(ops: tuple[int, ...]):
    assert _grows(SIZES, ops)


def test_two_sizes_are_judged_by_operations_for_each_unit():
    assert not _grows((6, 48), (40, 46))
    assert _grows((6, 48), (40, 124))
