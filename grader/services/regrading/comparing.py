"""What applying a plan changes: both sides are what the gradebook would say, with the plan and without."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from uuid import UUID

from sqlalchemy import Subquery, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.regrades import CheckChange, JudgedCheck, compare
from grader.domain.standing import GradedWork
from grader.services.access import Actor, Seat
from grader.services.counting import Scope, counting_query
from grader.services.regrading.plans import PlanView, plan_in, staff_seat
from grader.services.standings import course_work

Points = Fraction | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RegradeRow:
    """One submission of a plan. Points are the submission's as adjusted by staff, before lateness.

    `worth_before` and `worth_after` are the points possible; None where nothing is graded.
    `total_before` and `total_after` are what counts for the student in this assignment; they differ from the
    submission's where another submission counts, or lateness takes its share.
    """

    submission_id: UUID
    attempt_id: UUID
    login: str
    name: str
    number: int
    state: AttemptState
    failure_reason: str | None
    before: Points
    after: Points
    worth_before: Points
    worth_after: Points
    total_before: Points
    total_after: Points
    checks: tuple[CheckChange, ...]

    @property
    def delta(self) -> Fraction:
        return (self.after or Fraction(0)) - (self.before or Fraction(0))

    @property
    def total_delta(self) -> Fraction:
        return (self.total_after or Fraction(0)) - (self.total_before or Fraction(0))

    @property
    def changes(self) -> bool:
        return self.before != self.after or self.total_before != self.total_after or bool(self.checks)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthChange:
    """The points possible of so many submissions, where the plan changes them."""

    before: Fraction
    after: Fraction
    submissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanges:
    """A plan with every submission in it, largest change of points first."""

    plan: PlanView
    rows: tuple[RegradeRow, ...]

    @property
    def up(self) -> int:
        return sum(row.total_delta > 0 for row in self.rows)

    @property
    def down(self) -> int:
        return sum(row.total_delta < 0 for row in self.rows)

    @property
    def worth(self) -> tuple[WorthChange, ...]:
        """How the points possible change, most submissions first; empty where they stay."""
        found = Counter(
            (row.worth_before, row.worth_after)
            for row in self.rows
            if row.worth_before is not None and row.worth_after is not None
        )
        return tuple(
            WorthChange(before=before, after=after, submissions=number)
            for (before, after), number in found.most_common()
            if before != after
        )


def plan_changes(database: Database, *, actor: Actor, course: str, slug: str, plan_id: UUID) -> PlanChanges:
    """What a plan changes, or has changed, for staff; always the same number of queries."""
    with database.reading() as session:
        seat = staff_seat(session, actor=actor, course=course).require_names()
        plan = plan_in(session, seat, slug=slug, plan_id=plan_id)
        before = _Side.read(session, seat, plan, Scope(course_id=seat.course_id, without=plan_id))
        after = _Side.read(session, seat, plan, Scope(course_id=seat.course_id, supposing=plan_id))
        rows = [_row(item, before, after) for item in _items(session, plan_id)]
    rows.sort(key=lambda row: (-abs(row.total_delta), -abs(row.delta), row.name, row.number))
    return PlanChanges(plan=plan, rows=tuple(rows))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    submission_id: UUID
    attempt_id: UUID
    user_id: UUID
    login: str
    name: str
    number: int
    state: AttemptState
    failure_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Side:
    """What counts, with the plan or without it."""

    works: Mapping[UUID, GradedWork]
    totals: Mapping[UUID, Points]
    checks: Mapping[UUID, dict[str, JudgedCheck]]

    @classmethod
    def read(cls, session: Session, seat: Seat, plan: PlanView, scope: Scope) -> _Side:
        work = course_work(session, seat, scope=scope)
        students = {item.user_id for item in work.works if item.assignment_id == plan.assignment_id}
        return cls(
            works={item.work.submission_id: item.work for item in work.works},
            totals={user_id: work.of(user_id)[plan.assignment_id].points for user_id in students},
            checks=_checks(session, counting_query(scope), plan.id),
        )


def _items(session: Session, plan_id: UUID) -> tuple[_Item, ...]:
    rows = session.execute(
        select(models.RegradeItem, models.Submission, models.User, models.Attempt)
        .join(models.Submission, models.Submission.id == models.RegradeItem.submission_id)
        .join(models.User, models.User.id == models.Submission.user_id)
        .join(models.Attempt, models.Attempt.id == models.RegradeItem.attempt_id)
        .where(models.RegradeItem.plan_id == plan_id)
        .with_only_columns(
            models.RegradeItem.submission_id,
            models.RegradeItem.attempt_id,
            models.Submission.user_id,
            models.User.login,
            models.User.name,
            models.Submission.number,
            models.Attempt.state,
            models.Attempt.failure_reason,
        )
    )
    return tuple(_Item(**row) for row in rows.mappings())


def _checks(session: Session, counting: Subquery, plan_id: UUID) -> Mapping[UUID, dict[str, JudgedCheck]]:
    """The checks of the plan's submissions in the attempts that count, by submission and check."""
    query = (
        select(counting.c.submission_id, models.CheckResult)
        .join(models.RegradeItem, models.RegradeItem.submission_id == counting.c.submission_id)
        .join(models.CheckResult, models.CheckResult.attempt_id == counting.c.attempt_id)
        .where(models.RegradeItem.plan_id == plan_id)
        .order_by(models.CheckResult.position)
    )
    found: dict[UUID, dict[str, JudgedCheck]] = defaultdict(dict)
    for submission_id, check in session.execute(query):
        found[submission_id][check.check_id] = JudgedCheck(
            check_id=check.check_id,
            verdict=check.verdict,
            points=check.points,
            earned=check.earned,
            code=check.code,
            line=check.line,
        )
    return found


def _row(item: _Item, before: _Side, after: _Side) -> RegradeRow:
    judged = before.checks.get(item.submission_id, {})
    old, new = before.works[item.submission_id], after.works[item.submission_id]
    return RegradeRow(
        submission_id=item.submission_id,
        attempt_id=item.attempt_id,
        login=item.login,
        name=item.name,
        number=item.number,
        state=item.state,
        failure_reason=item.failure_reason,
        before=old.points,
        after=new.points,
        worth_before=old.max_score,
        worth_after=new.max_score,
        total_before=before.totals.get(item.user_id),
        total_after=after.totals.get(item.user_id),
        # Where nothing counted before, every check would be new, which says nothing.
        checks=compare(judged, after.checks.get(item.submission_id, {})) if judged else (),
    )
