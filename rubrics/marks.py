"""The `criterion` mark: which quality of which function a check judges, and for how many points."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

import pytest

from grader.domain.verdicts import Family, Visibility

MARK = "criterion"

_Test = TypeVar("_Test", bound=Callable[..., object])


def criterion(
    family: str | Family,
    *,
    points: float | str | Fraction,
    function: str,
    visibility: str | Visibility = Visibility.VISIBLE,
    lesson: str | None = None,
) -> Callable[[_Test], _Test]:
    """Mark a test function as a check. ValueError for an unknown family or visibility, or impossible points.

    `points` are exact: write ``2``, ``0.5`` or ``"1/3"``. `lesson` is an anchor in the assignment's lesson.
    """
    worth = Fraction(str(points))
    if worth < 0:
        raise ValueError(f"points must not be negative, not {points}")
    mark = getattr(pytest.mark, MARK)(
        family=Family(family),
        points=worth,
        function=function,
        visibility=Visibility(visibility),
        lesson=lesson,
    )

    def apply(test: _Test) -> _Test:
        marked: _Test = mark(test)
        return marked

    return apply
