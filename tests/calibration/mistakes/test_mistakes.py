"""Mistakes that learners really made: each is judged, named and placed as the comment beside it says."""

from __future__ import annotations

import pytest

from grader.domain.catalogue import CODES
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests.calibration.mistakes.grading import RIGHT, Judged, judge, results_of
from tests.calibration.mistakes.labels import Mistake, mistakes


@pytest.fixture(scope="module")
def judged() -> dict[str, Judged]:
    with Engine() as engine:
        return {each.mistake.number: each for each in judge(engine)}


@pytest.mark.slow
@pytest.mark.parametrize("mistake", mistakes(), ids=lambda mistake: mistake.function)
def test_a_mistake_is_named_at_its_line_and_right_work_loses_nothing(
    judged: dict[str, Judged], mistake: Mistake
) -> None:
    each = judged[mistake.number]
    assert each.checks, "the suite asks nothing of it"
    assert each.said == mistake.expected, mistake.source


@pytest.mark.slow
def test_what_each_should_have_been_loses_nothing() -> None:
    with Engine() as engine:
        results = results_of(engine, RIGHT)
    lost = {result.spec.id: result.feedback for result in results if result.verdict is not Verdict.PASSED}
    assert lost == {}


def test_all_fifty_two_are_here_each_with_the_report_that_it_comes_from() -> None:
    assert [mistake.number for mistake in mistakes()] == [f"m{number:02}" for number in range(1, 53)]
    assert [mistake.function for mistake in mistakes() if "#" not in mistake.source] == [
        "m30_one_key_for_all_steps"
    ]


def test_only_codes_of_the_catalogue_are_expected() -> None:
    assert {code for mistake in mistakes() for code, _ in mistake.expected} <= CODES.keys()


def test_right_programs_are_among_them() -> None:
    right = {mistake.number for mistake in mistakes() if not mistake.expected}
    assert right == {"m26", "m29", "m50", "m52"}
