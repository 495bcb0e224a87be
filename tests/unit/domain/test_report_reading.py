from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from grader.domain.report_json import view_to_json
from grader.domain.report_reading import view_from_json
from grader.domain.view import STAFF, Audience, Reader, view_of
from tests.builders import a_check, an_attempt, everything, hostile

STUDENT = Reader(audience=Audience.STUDENT, released=True, past_due=True)


@pytest.mark.parametrize("reader", [STAFF, STUDENT])
@pytest.mark.parametrize("result", [everything(), hostile()[0]], ids=["everything", "hostile"])
def test_a_report_survives_the_way_through_json(reader: Reader, result) -> None:
    view = view_of(result, reader)
    sent = json.dumps(view_to_json(view), allow_nan=False)
    assert view_to_json(view_from_json(json.loads(sent))) == json.loads(sent)
    assert [check.disclosure for check in view_from_json(json.loads(sent)).checks] == [
        check.disclosure for check in view.checks
    ]


def test_a_third_of_a_point_is_a_third_again() -> None:
    view = view_of(an_attempt(a_check(points=Fraction(5, 3))), STAFF)
    (check,) = view_from_json(json.loads(json.dumps(view_to_json(view)))).checks
    assert check.points == Fraction(5, 3)


@pytest.mark.parametrize(
    "damage", [{"criteria": [{}]}, {"audience": "crowd"}, {"seconds": None}, {"hidden": 3}]
)
def test_what_is_no_report_is_refused(damage: dict[str, object]) -> None:
    sent = view_to_json(view_of(everything(), replace(STAFF)))
    with pytest.raises(ValueError, match="no report of a known form"):
        view_from_json({**sent, **damage})
