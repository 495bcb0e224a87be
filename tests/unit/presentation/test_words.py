from fractions import Fraction

import pytest

from grader.domain.catalogue import CODES
from grader.domain.results import Progress, Stage
from grader.domain.verdicts import Verdict, Visibility
from grader.domain.view import STAFF, HiddenChecks, view_of
from grader.presentation.words import (
    HIDDEN_UNTIL,
    LESSON_TITLES,
    STAGE_WORDS,
    VERDICT_WORDS,
    duration_text,
    hidden_text,
    points_text,
    progress_text,
    verdict_counts,
)
from tests.builders import everything


def test_every_verdict_stage_and_visibility_has_its_word():
    assert VERDICT_WORDS.keys() == set(Verdict)
    assert STAGE_WORDS.keys() == set(Stage)
    assert HIDDEN_UNTIL.keys() == set(Visibility)


def test_every_lesson_of_the_catalogue_has_a_title():
    assert {entry.lesson for entry in CODES.values() if entry.lesson} <= LESSON_TITLES.keys()


@pytest.mark.parametrize(
    "points,text",
    [
        (Fraction(0), "0"),
        (Fraction(5, 4), "1.25"),
        (Fraction(5, 2), "2.5"),
        (Fraction(1, 3), "1/3"),
        (Fraction(-1, 2), "-0.5"),
    ],
)
def test_points_are_written_exactly(points: Fraction, text: str):
    assert points_text(points) == text


@pytest.mark.parametrize(
    "seconds,text",
    [
        (0.0, "0 ns"),
        (3e-9, "3 ns"),
        (1e-6, "1 µs"),
        (0.5, "500 ms"),
        (59.94, "59.9 s"),
        (3599.9, "60 min 0 s"),
    ],
)
def test_times_have_a_fitting_unit(seconds: float, text: str):
    assert duration_text(seconds) == text


def test_verdicts_are_counted_and_absent_ones_left_out():
    text = verdict_counts(view_of(everything(), STAFF))
    assert text.startswith("3 passed, 9 failed, 1 crashed, 1 timed out")
    assert "skipped" not in text


def test_hidden_checks_are_announced_with_their_number_points_and_when():
    hidden = (
        HiddenChecks(visibility=Visibility.AFTER_DUE, count=2, points=Fraction(7)),
        HiddenChecks(visibility=Visibility.HIDDEN, count=1, points=Fraction(1, 2)),
    )
    assert hidden_text(hidden) == (
        "3 more checks, worth 7.5 points, are not shown (2 until the due date, 1 permanently). "
        "They count too, so your final score may differ."
    )
    assert hidden_text(()) == ""


@pytest.mark.parametrize(
    "visibility, count, points, text",
    [
        (Visibility.HIDDEN, 1, 1, "1 more check, worth 1 point, stays hidden. It counts too"),
        (Visibility.HIDDEN, 2, 3, "2 more checks, worth 3 points, stay hidden. They count too"),
        (Visibility.AFTER_DUE, 1, 2, "1 more check, worth 2 points, is not shown until the due date. It"),
    ],
)
def test_hidden_checks_of_one_kind_are_not_counted_twice(
    visibility: Visibility, count: int, points: int, text: str
):
    hidden = HiddenChecks(visibility=visibility, count=count, points=Fraction(points))
    assert hidden_text([hidden]).startswith(text)


def test_progress_names_the_running_check_and_never_counts_past_the_end():
    assert progress_text(Progress(stage=Stage.QUEUED)) == "waiting"
    last = Progress(stage=Stage.CHECKING, check_id="f.jit.x", done=9, total=9)
    assert progress_text(last) == "checking 9 of 9: f.jit.x"
