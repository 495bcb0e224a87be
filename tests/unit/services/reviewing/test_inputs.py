from __future__ import annotations

from fractions import Fraction

import pytest

from grader.domain.errors import InvalidInput
from grader.services.reviewing.inputs import points_of


@pytest.mark.parametrize(
    "typed, points",
    [
        ("3", Fraction(3)),
        (" +2.5 ", Fraction(5, 2)),
        ("2,5", Fraction(5, 2)),
        (".5", Fraction(1, 2)),
        ("-7/2", Fraction(-7, 2)),
        ("0", Fraction(0)),
        (0.1, Fraction(1, 10)),
        (4, Fraction(4)),
    ],
)
def test_points_are_read_as_they_are_written(typed: str | float, points: Fraction) -> None:
    assert points_of(typed) == points


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "a",
        "nan",
        "inf",
        "-inf",
        "1e3",
        "1/0",
        "1/",
        "1.2.3",
        "0x10",
        "\N{ARABIC-INDIC DIGIT ONE}",
        "1 000",
        "9" * 40,
        1e300,
        float("nan"),
    ],
)
def test_what_is_no_number_of_points_is_refused(typed: str | float) -> None:
    with pytest.raises(InvalidInput, match="points"):
        points_of(typed)
