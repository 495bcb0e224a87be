from __future__ import annotations

from datetime import UTC, datetime, timedelta
from fractions import Fraction
from uuid import UUID, uuid4

import pytest

from grader.db import models
from grader.domain.attempts import AttemptState, Lane
from grader.domain.errors import NotFound
from grader.domain.people import Role
from grader.domain.reviewing import AdjustmentKind, PlanState, RequestState
from grader.domain.scheduling import Counting, LateRule
from grader.services.queueing import enqueue
from grader.services.student.notes import STAFF_NAME
from grader.services.student.reports import SubmissionReport, report_of
from tests.courses import SECRET, SampleCourse
from tests.students import (
    AFTER_DUE,
    AFTER_RELEASE,
    EVERYTHING,
    OPEN,
    SEALED,
    a_result,
    actor,
    grade,
    graded,
    publish_hidden,
    schedule,
)

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def hidden(course: SampleCourse) -> SampleCourse:
    publish_hidden(course)
    course.enrol("tom", Role.TA)
    return course


def report(
    course: SampleCourse, submission_id: UUID, *, login: str = "ada", attempt: int | None = None
) -> SubmissionReport:
    return report_of(
        course.database, actor=actor(course, login), submission_id=submission_id, attempt=attempt
    )


def shown(found: SubmissionReport) -> set[str]:
    assert found.view is not None
    return {check.id for check in found.view.checks}


def add(course: SampleCourse, *rows: models.Base) -> None:
    with course.database.writing() as session:
        session.add_all(rows)


def adjustment(
    course: SampleCourse, submission_id: UUID, points: int, *, check_id: str | None = None
) -> models.Adjustment:
    return models.Adjustment(
        id=uuid4(),
        submission_id=submission_id,
        kind=AdjustmentKind.ADD if check_id is None else AdjustmentKind.SET_CHECK,
        check_id=check_id,
        points=Fraction(points),
        reason="a good idea",
        author_id=actor(course, "tom").user_id,
        created_at=LONG_AGO,
    )


def comment(course: SampleCourse, submission_id: UUID, text: str, **place: object) -> models.Comment:
    return models.Comment(
        submission_id=submission_id,
        author_id=actor(course, "tom").user_id,
        text=text,
        created_at=LONG_AGO,
        **place,
    )


def regrade(course: SampleCourse, submission_id: UUID, state: PlanState) -> UUID:
    """A plan's attempt, waiting to be graded."""
    with course.database.writing() as session:
        now = course.database.now(session)
        version = session.get_one(models.AssignmentVersion, course.version.version_id)
        attempt = enqueue(
            session, submission_id=submission_id, version=version, lane=Lane.BULK, secret=SECRET, now=now
        )
        plan = models.RegradePlan(
            id=uuid4(),
            assignment_id=course.version.assignment_id,
            version_id=version.id,
            reason="a check was wrong",
            state=state,
            created_at=now,
        )
        session.add(plan)
        session.flush()
        session.add(models.RegradeItem(plan_id=plan.id, submission_id=submission_id, attempt_id=attempt.id))
        return attempt.id


def test_before_the_due_date_only_open_checks_are_shown_and_counted(hidden: SampleCourse) -> None:
    found = report(hidden, graded(hidden, EVERYTHING - {OPEN}).submission_id)
    assert shown(found) == {OPEN}
    assert found.points == 0
    assert found.view is not None
    assert found.view.hidden_count == 3


def test_after_the_students_own_due_date_more_is_open(hidden: SampleCourse) -> None:
    schedule(hidden, due_at=LONG_AGO)
    found = report(hidden, graded(hidden).submission_id)
    assert shown(found) == {OPEN, AFTER_DUE}
    assert found.points == 5


def test_an_extension_keeps_closed_what_opens_after_the_due_date(hidden: SampleCourse) -> None:
    schedule(hidden, due_at=LONG_AGO)
    add(
        hidden,
        models.Extension(
            assignment_id=hidden.version.assignment_id,
            user_id=hidden.student_id,
            due_at=datetime(2100, 1, 1, tzinfo=UTC),
            reason="ill",
            granted_at=LONG_AGO,
        ),
    )
    ben = hidden.enrol("ben")
    assert shown(report(hidden, graded(hidden).submission_id)) == {OPEN}
    assert AFTER_DUE in shown(report(hidden, graded(hidden, user_id=ben).submission_id, login="ben"))


def test_released_grades_open_everything_and_hidden_checks_in_general_terms(hidden: SampleCourse) -> None:
    schedule(hidden, due_at=LONG_AGO, released_at=LONG_AGO)
    found = report(hidden, graded(hidden).submission_id)
    assert shown(found) == {OPEN, AFTER_DUE, AFTER_RELEASE, "half.purity.hidden-1"}
    assert found.points == 14


def test_staff_read_everything_of_everybody(hidden: SampleCourse) -> None:
    found = report(hidden, graded(hidden).submission_id, login="tom")
    assert shown(found) == EVERYTHING
    assert (found.own, found.student_login, found.points) == (False, "ada", 14)


@pytest.mark.parametrize("login", ["ben", "eve"])
def test_for_anybody_else_a_submission_does_not_exist(hidden: SampleCourse, login: str) -> None:
    hidden.enrol("ben")
    receipt = graded(hidden)
    with pytest.raises(NotFound) as theirs:
        report(hidden, receipt.submission_id, login=login)
    with pytest.raises(NotFound) as nobodys:
        report(hidden, UUID(int=7), login=login)
    assert str(theirs.value).replace(str(receipt.submission_id), str(UUID(int=7))) == str(nobodys.value)


def test_which_submission_counts_so_far_gives_no_hidden_check_away(hidden: SampleCourse) -> None:
    """The second is better in all, but only by hidden checks: so far the earlier of two equals counts."""
    first = graded(hidden, {OPEN})
    second = graded(hidden, EVERYTHING)
    assert report(hidden, first.submission_id).counts
    schedule(hidden, due_at=LONG_AGO, released_at=LONG_AGO)
    assert report(hidden, second.submission_id).counts


def test_an_adjustment_of_a_hidden_check_waits_until_it_is_open(hidden: SampleCourse) -> None:
    receipt = graded(hidden, frozenset())
    add(
        hidden,
        adjustment(hidden, receipt.submission_id, 1, check_id=OPEN),
        adjustment(hidden, receipt.submission_id, 4, check_id=AFTER_RELEASE),
        adjustment(hidden, receipt.submission_id, 5, check_id=SEALED),
    )
    before = report(hidden, receipt.submission_id)
    assert [note.about for note in before.notes.adjustments] == ["Title of it_doubles."]
    assert (before.notes.adjustments[0].author, before.points) == (STAFF_NAME, 1)
    schedule(hidden, due_at=LONG_AGO, released_at=LONG_AGO)
    after = report(hidden, receipt.submission_id)
    assert "a check that stays hidden" in {note.about for note in after.notes.adjustments}
    assert (len(after.notes.adjustments), after.points) == (3, 10)


def test_points_for_the_whole_are_shown_with_their_reason_and_revoked_ones_say_so(
    hidden: SampleCourse,
) -> None:
    receipt = graded(hidden)
    given, taken = adjustment(hidden, receipt.submission_id, 3), adjustment(hidden, receipt.submission_id, 1)
    add(hidden, given, taken)
    revoking = adjustment(hidden, receipt.submission_id, -3)
    revoking.revokes_id = given.id
    add(hidden, revoking)
    found = report(hidden, receipt.submission_id)
    assert {(note.points, note.revoked) for note in found.notes.adjustments} == {(3, True), (1, False)}
    assert found.points == 3


def test_students_read_comments_but_not_those_for_staff_or_about_hidden_checks(hidden: SampleCourse) -> None:
    receipt = graded(hidden)
    add(
        hidden,
        comment(hidden, receipt.submission_id, "a line", file="submission.py", line=1),
        comment(hidden, receipt.submission_id, "open", check_id=OPEN),
        comment(hidden, receipt.submission_id, "hidden", check_id=SEALED),
        comment(hidden, receipt.submission_id, "for us", staff_only=True),
        comment(hidden, receipt.submission_id, "gone", deleted_at=LONG_AGO),
    )
    for_ada = report(hidden, receipt.submission_id).notes.comments
    assert {note.text for note in for_ada} == {"a line", "open"}
    assert {note.author for note in for_ada} == {STAFF_NAME}
    for_tom = report(hidden, receipt.submission_id, login="tom").notes.comments
    assert {note.text for note in for_tom} == {"a line", "open", "hidden", "for us"}
    assert {note.author for note in for_tom} == {"tom"}


def test_a_comment_on_a_check_that_stays_hidden_names_no_check_when_it_is_read(hidden: SampleCourse) -> None:
    schedule(hidden, due_at=LONG_AGO, released_at=LONG_AGO)
    receipt = graded(hidden)
    add(hidden, comment(hidden, receipt.submission_id, "look here", check_id=SEALED))
    [note] = report(hidden, receipt.submission_id).notes.comments
    assert (note.text, note.check_id) == ("look here", None)


def test_an_answered_request_says_that_staff_answered_it(hidden: SampleCourse) -> None:
    receipt = graded(hidden)
    add(
        hidden,
        models.RegradeRequest(
            submission_id=receipt.submission_id,
            text="please",
            created_at=LONG_AGO,
            state=RequestState.DECLINED,
            answer="no",
            answered_by=actor(hidden, "tom").user_id,
            answered_at=LONG_AGO,
        ),
    )
    notes = report(hidden, receipt.submission_id).notes
    assert (notes.requests[0].answer, notes.requests[0].answered_by) == ("no", STAFF_NAME)
    assert notes.open_request is None


def test_an_attempt_of_a_plan_that_does_not_hold_is_for_staff(hidden: SampleCourse) -> None:
    receipt = graded(hidden)
    grade(hidden, regrade(hidden, receipt.submission_id, PlanState.READY), a_result(frozenset()))
    found = report(hidden, receipt.submission_id)
    assert [entry.number for entry in found.attempts] == [1]
    assert [entry.number for entry in report(hidden, receipt.submission_id, login="tom").attempts] == [2, 1]
    with pytest.raises(NotFound, match="attempt"):
        report(hidden, receipt.submission_id, attempt=2)


def test_an_applied_plans_attempt_counts_and_the_earlier_one_stays_readable(hidden: SampleCourse) -> None:
    receipt = graded(hidden, frozenset())
    grade(hidden, regrade(hidden, receipt.submission_id, PlanState.APPLIED), a_result({OPEN}))
    found = report(hidden, receipt.submission_id)
    assert [(entry.number, entry.counts) for entry in found.attempts] == [(2, True), (1, False)]
    assert (found.shown.number, found.points) == (2, 2)
    earlier = report(hidden, receipt.submission_id, attempt=1)
    assert earlier.view is not None
    assert earlier.view.score == 0


def test_while_it_waits_there_is_no_view_and_nothing_counts(hidden: SampleCourse) -> None:
    found = report(hidden, hidden.submit().submission_id)
    assert (found.view, found.points, found.shown.state) == (None, None, AttemptState.QUEUED)


def test_late_work_is_judged_by_the_ledger_of_the_course(hidden: SampleCourse) -> None:
    receipt = graded(hidden)
    schedule(
        hidden,
        due_at=receipt.received_at - timedelta(hours=30),
        late_rule=LateRule.PER_DAY,
        per_day=Fraction(1, 10),
        uses_grace=True,
    )
    add(hidden, models.CoursePolicy(course_id=hidden.course_id, grace_days=1))
    found = report(hidden, receipt.submission_id)
    late = found.item.standing.lateness
    assert (late.days_late, late.grace_days, late.penalty) == (2, 1, Fraction(1, 10))
    assert (found.item.standing.points, found.course.grace_left) == (Fraction(9, 2), 0)


def test_the_chosen_submission_counts_where_students_choose(hidden: SampleCourse) -> None:
    schedule(hidden, counting=Counting.CHOSEN)
    first, second = graded(hidden), graded(hidden)
    assert report(hidden, second.submission_id).counts
    add(
        hidden,
        models.SubmissionChoice(
            assignment_id=hidden.version.assignment_id,
            user_id=hidden.student_id,
            submission_id=first.submission_id,
            chosen_at=LONG_AGO,
        ),
    )
    assert report(hidden, first.submission_id).counts
    assert not report(hidden, second.submission_id).counts


def test_hidden_problems_of_ours_are_told_to_staff_alone(hidden: SampleCourse) -> None:
    receipt = hidden.submit()
    with hidden.database.writing() as session:
        attempt = session.get_one(models.Attempt, receipt.attempt_id)
        attempt.state, attempt.failure_reason = AttemptState.NOT_GRADED, "the suite raised SecretError"
    assert report(hidden, receipt.submission_id).shown.failure == ""
    assert "SecretError" in report(hidden, receipt.submission_id, login="tom").shown.failure
