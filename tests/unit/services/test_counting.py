from __future__ import annotations

from fractions import Fraction
from uuid import UUID

import pytest
from sqlalchemy import event

from grader.db import models
from grader.domain.attempts import Lane
from grader.domain.reviewing import AdjustmentKind, PlanState
from grader.domain.verdicts import Blame, Verdict
from grader.services.counting import Scope, counting_attempts, graded_works
from grader.services.queueing import enqueue
from tests.courses import SECRET
from tests.reviews import DOUBLES, HALVES, ReviewedCourse, text

FULL = Fraction(5)


class Counter:
    """Reads what counts, and adds what changes it."""

    def __init__(self, review: ReviewedCourse) -> None:
        self.review, self.database = review, review.database

    def points(self, submission_id: UUID, **scope: UUID) -> Fraction | None:
        with self.database.reading() as session:
            works = graded_works(session, Scope(**scope))
        return {item.work.submission_id: item.work.points for item in works}[submission_id]

    def number(self, submission_id: UUID) -> int | None:
        with self.database.reading() as session:
            found = counting_attempts(session, Scope()).get(submission_id)
        return None if found is None else found.number

    def adjust(
        self, submission_id: UUID, points: str, *, check: str | None = None, revokes: UUID | None = None
    ) -> UUID:
        with self.database.writing() as session:
            row = models.Adjustment(
                submission_id=submission_id,
                kind=AdjustmentKind.ADD if check is None else AdjustmentKind.SET_CHECK,
                check_id=check,
                points=Fraction(points),
                reason="because",
                author_id=self.review.tia.user_id,
                created_at=self.database.now(session),
                revokes_id=revokes,
            )
            session.add(row)
            session.flush()
            return row.id

    def regrade(self, submission_id: UUID, state: PlanState, *, judged: str = "") -> UUID:
        """Another attempt of a plan in that state; a check mentioned in `judged` fails in it."""
        version = self.review.course.version
        with self.database.writing() as session:
            now = self.database.now(session)
            row = session.get_one(models.AssignmentVersion, version.version_id)
            attempt = enqueue(
                session,
                submission_id=submission_id,
                version=row,
                lane=Lane.BULK,
                secret=SECRET,
                now=now,
            )
            plan = models.RegradePlan(
                assignment_id=version.assignment_id,
                version_id=version.version_id,
                reason="because",
                state=state,
                created_at=now,
            )
            session.add(plan)
            session.flush()
            item = models.RegradeItem(plan_id=plan.id, submission_id=submission_id, attempt_id=attempt.id)
            session.add(item)
        self.review.grade(attempt.id, judge=lambda check, _: _failing(check.id, judged))
        return plan.id


def _failing(check_id: str, judged: str) -> tuple[Verdict, Blame | None]:
    return (Verdict.FAILED, Blame.STUDENT) if check_id in judged else (Verdict.PASSED, None)


@pytest.fixture
def counter(review: ReviewedCourse) -> Counter:
    return Counter(review)


def test_what_is_not_graded_counts_nothing_yet(counter: Counter) -> None:
    waiting = counter.review.waiting()
    assert counter.number(waiting) is None
    assert counter.points(waiting) is None


def test_the_newest_graded_attempt_counts(counter: Counter) -> None:
    submission = counter.review.submit(text("it_halves"))
    assert (counter.number(submission), counter.points(submission)) == (1, Fraction(3))


@pytest.mark.parametrize("state", list(PlanState))
def test_a_plans_attempt_counts_only_while_the_plan_is_applied(counter: Counter, state: PlanState) -> None:
    submission = counter.review.submit(text("it_halves"))
    counter.regrade(submission, state)
    expected = (2, FULL) if state is PlanState.APPLIED else (1, Fraction(3))
    assert (counter.number(submission), counter.points(submission)) == expected


def test_a_plan_can_be_supposed_and_supposed_away(counter: Counter) -> None:
    submission = counter.review.submit(text("it_halves"))
    plan = counter.regrade(submission, PlanState.RUNNING)
    assert counter.points(submission, supposing=plan) == FULL
    applied = counter.regrade(submission, PlanState.APPLIED)
    assert counter.points(submission) == FULL
    assert counter.points(submission, without=applied) == Fraction(3)


def test_points_set_for_a_check_replace_what_was_found_and_survive_a_regrade(counter: Counter) -> None:
    submission = counter.review.submit(text("it_halves"))
    counter.adjust(submission, "2", check=HALVES)
    assert counter.points(submission) == FULL
    counter.regrade(submission, PlanState.APPLIED)
    assert counter.points(submission) == FULL


def test_a_check_that_was_set_gives_no_more_than_it_is_worth_by_now(counter: Counter) -> None:
    submission = counter.review.submit(text("it_doubles"))
    counter.adjust(submission, "1000", check=DOUBLES)
    assert counter.points(submission) == FULL


def test_of_several_settings_of_a_check_the_last_holds(counter: Counter) -> None:
    submission = counter.review.submit(text("it_halves"))
    counter.adjust(submission, "2", check=HALVES)
    counter.adjust(submission, "1/2", check=HALVES)
    assert counter.points(submission) == Fraction(7, 2)


def test_added_points_add_up_and_what_is_revoked_is_gone(counter: Counter) -> None:
    submission = counter.review.submit(text("it_halves"))
    first = counter.adjust(submission, "1/2")
    counter.adjust(submission, "1/3")
    assert counter.points(submission) == Fraction(23, 6)
    counter.adjust(submission, "0", revokes=first)
    assert counter.points(submission) == Fraction(10, 3)


def test_a_check_that_the_attempt_does_not_have_changes_nothing(counter: Counter) -> None:
    submission = counter.review.submit()
    counter.adjust(submission, "9", check="gone.values.long_ago")
    assert counter.points(submission) == FULL


def test_points_never_fall_below_nothing(counter: Counter) -> None:
    submission = counter.review.submit()
    counter.adjust(submission, "-99")
    assert counter.points(submission) == 0


def test_a_scope_narrows_to_course_assignment_student_or_submissions(counter: Counter) -> None:
    mine, other = counter.review.submit(), counter.review.submit(by=counter.review.ben)
    version = counter.review.course.version
    scopes = {
        Scope(course_id=counter.review.course.course_id): {mine, other},
        Scope(assignment_id=version.assignment_id): {mine, other},
        Scope(user_id=counter.review.ada.user_id): {mine},
        Scope(submission_ids=(other,)): {other},
        Scope(submission_ids=()): set(),
    }
    with counter.database.reading() as session:
        for scope, expected in scopes.items():
            assert {item.work.submission_id for item in graded_works(session, scope)} == expected
            assert set(counting_attempts(session, scope)) == expected


def test_the_number_of_queries_does_not_grow_with_the_course(counter: Counter) -> None:
    seen: list[str] = []
    counter.review.submit(text(DOUBLES))
    event.listen(counter.database.engine, "before_cursor_execute", lambda *a: seen.append(a[2]))
    counts = []
    for by in (counter.review.ada, counter.review.ben):
        submission = counter.review.submit(by=by)
        counter.adjust(submission, "1", check=HALVES)
        seen.clear()
        with counter.database.reading() as session:
            graded_works(session, Scope())
        counts.append(len([statement for statement in seen if statement.startswith("SELECT")]))
    assert counts == [3, 3]
