from __future__ import annotations

import threading
from fractions import Fraction
from uuid import UUID, uuid4

import pytest
from sqlalchemy import text as sql
from sqlalchemy.exc import DBAPIError

from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.verdicts import Verdict
from grader.services.access import Actor
from grader.services.counting import Scope, graded_works
from grader.services.reviewing.adjusting import AdjustmentView, Change, adjust, history, revoke
from grader.services.reviewing.marking import grade_again
from grader.services.reviewing.versions import version_of
from tests.courses import SECRET
from tests.reviews import DOUBLES, ReviewedCourse, text


def points(school: ReviewedCourse, submission_id: UUID) -> Fraction | None:
    with school.database.reading() as session:
        return graded_works(session, Scope(submission_ids=[submission_id]))[0].work.points


def change(
    school: ReviewedCourse,
    submission_id: UUID,
    worth: Fraction | int,
    *,
    check: str | None = None,
    seen: int | None = None,
    actor: Actor | None = None,
    reason: str = "Seen by hand.",
) -> AdjustmentView:
    with school.database.reading() as session:
        current = version_of(session, submission_id)
    return adjust(
        school.database,
        actor=actor or school.tia,
        submission_id=submission_id,
        change=Change(points=Fraction(worth), check_id=check),
        reason=reason,
        seen=current if seen is None else seen,
    )


def test_a_check_is_set_to_points_whatever_was_found(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles"))
    assert points(school, submission) == Fraction(10, 3)
    change(school, submission, Fraction(1, 3), check=DOUBLES)
    assert points(school, submission) == Fraction(11, 3)
    change(school, submission, Fraction(5, 3), check=DOUBLES)
    assert points(school, submission) == 5


def test_points_are_added_and_taken_from_the_whole_but_never_below_zero(school: ReviewedCourse) -> None:
    submission = school.submit()
    change(school, submission, 2)
    assert points(school, submission) == 7
    change(school, submission, -5)
    change(school, submission, -5)
    assert points(school, submission) == 0


def test_an_adjustment_survives_another_grading_and_is_not_counted_twice(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles"))
    change(school, submission, Fraction(5, 3), check=DOUBLES)
    attempt = grade_again(school.database, actor=school.tia, submission_id=submission, secret=SECRET)
    school.grade(attempt, judge=lambda *_: (Verdict.PASSED, None))
    assert points(school, submission) == 5


def test_what_was_taken_back_no_longer_counts_and_stays_in_the_history(school: ReviewedCourse) -> None:
    submission = school.submit()
    entry = change(school, submission, 2, reason="Extra work.")
    taken = revoke(
        school.database, actor=school.tom, adjustment_id=entry.id, reason="It was somebody else's.", seen=1
    )
    assert points(school, submission) == 5
    with school.database.reading() as session:
        first, second = history(session, submission)
    assert (first.author, first.reason, first.revoked, first.holds) == ("Tia", "Extra work.", True, False)
    assert (second.id, second.author, second.revokes_id, second.holds) == (taken.id, "Tom", first.id, False)


def test_an_adjustment_is_taken_back_once(school: ReviewedCourse) -> None:
    submission = school.submit()
    entry = change(school, submission, 2)
    taken = revoke(school.database, actor=school.tia, adjustment_id=entry.id, reason="No.", seen=1)
    for each in (entry, taken):
        with pytest.raises(Conflict):
            revoke(school.database, actor=school.tia, adjustment_id=each.id, reason="No.", seen=2)


def test_setting_a_check_again_replaces_the_earlier_entry(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles"))
    change(school, submission, 1, check=DOUBLES)
    change(school, submission, Fraction(1, 2), check=DOUBLES)
    with school.database.reading() as session:
        assert [item.holds for item in history(session, submission)] == [False, True]


@pytest.mark.parametrize(
    "worth, check, field",
    [
        (Fraction(2), DOUBLES, "points"),
        (Fraction(-1), DOUBLES, "points"),
        (Fraction(0), None, "points"),
        (Fraction(51, 10), None, "points"),
        (Fraction(-(10**8)), None, "points"),
        (Fraction(1), "double.values.it_triples", "check"),
        (Fraction(1), "double.values", "check"),
    ],
)
def test_points_that_make_no_sense_are_refused_and_leave_no_trace(
    school: ReviewedCourse, worth: Fraction, check: str | None, field: str
) -> None:
    submission = school.submit()
    with pytest.raises(InvalidInput) as refused:
        change(school, submission, worth, check=check)
    assert refused.value.field == field
    with school.database.reading() as session:
        assert (history(session, submission), version_of(session, submission)) == ((), 0)


@pytest.mark.parametrize("reason", ["", " \n ", "a" * 2001])
def test_an_adjustment_needs_a_reason_of_some_length(school: ReviewedCourse, reason: str) -> None:
    submission = school.submit()
    with pytest.raises(InvalidInput, match="reason"):
        change(school, submission, 1, reason=reason)


def test_a_submission_that_is_not_graded_has_no_points_to_change(school: ReviewedCourse) -> None:
    with pytest.raises(Conflict, match="has not been graded"):
        change(school, school.waiting(), 1)


def test_only_staff_of_the_course_change_points(school: ReviewedCourse) -> None:
    submission = school.submit()
    with pytest.raises(NotAllowed):
        change(school, submission, 1, actor=school.ada)
    for actor in (school.ben, school.stranger):
        with pytest.raises(NotFound):
            change(school, submission, 1, actor=actor)


def test_an_adjustment_that_is_not_there_and_one_of_others_look_the_same(school: ReviewedCourse) -> None:
    entry = change(school, school.submit(), 1)
    for actor, adjustment_id in ((school.stranger, entry.id), (school.ada, entry.id), (school.tia, uuid4())):
        with pytest.raises(NotFound, match=f"no adjustment named '{adjustment_id}'"):
            revoke(school.database, actor=actor, adjustment_id=adjustment_id, reason="No.", seen=1)


def test_the_database_refuses_to_change_an_adjustment(school: ReviewedCourse) -> None:
    change(school, school.submit(), 1)
    with (
        pytest.raises(DBAPIError, match="adjustment rows are never changed"),
        school.database.writing() as session,
    ):
        session.execute(sql("UPDATE adjustment SET points = '100'"))


def test_of_two_who_saw_the_same_one_is_told_what_happened(school: ReviewedCourse) -> None:
    submission = school.submit()
    change(school, submission, 1, seen=0)
    with pytest.raises(EditConflict) as conflict:
        change(school, submission, 2, actor=school.tom, seen=0)
    assert (conflict.value.seen, conflict.value.current) == (0, 1)
    assert points(school, submission) == 6


def test_of_twenty_at_once_one_wins_and_nineteen_are_told(school: ReviewedCourse) -> None:
    submission = school.submit()
    told: list[str] = []
    start = threading.Barrier(20)

    def work(number: int) -> None:
        start.wait()
        try:
            change(school, submission, 1, seen=0, actor=school.tom if number % 2 else school.tia)
            told.append("done")
        except EditConflict:
            told.append("conflict")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(told) == ["conflict"] * 19 + ["done"]
    assert points(school, submission) == 6
