"""Cases drawn again in part: what catches functions that remember an argument instead of looking at it."""

from __future__ import annotations

import numpy as np

from rubrics.drawing import Case, Draw
from rubrics.specs import f32


def arrays(case: Case) -> list[bytes]:
    return [np.asarray(argument.array).tobytes() for argument in case.args]


def test_each_argument_is_kept_once_while_the_others_are_new() -> None:
    case = Draw("seed", "check")(f32[3], f32[3], f32[3])
    before = arrays(case)
    others = case.in_part_again()
    kept = [[new == old for new, old in zip(arrays(other), before, strict=True)] for other in others]
    assert kept == [[True, False, False], [False, True, False], [False, False, True]]


def test_a_single_argument_cannot_be_kept_while_others_change() -> None:
    assert Draw("seed", "check")(f32[3]).in_part_again() == ()


def test_a_case_in_part_again_can_itself_be_drawn_again() -> None:
    case = Draw("seed", "check")(f32[3], f32[3])
    assert all(
        new != old for new, old in zip(arrays(case.in_part_again()[0].again()), arrays(case), strict=True)
    )
