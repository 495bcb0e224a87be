"""Which attempt of a submission counts, and for how many points: what every list, page and export goes by.

The newest graded attempt counts, unless a regrade plan has made it: then it counts only while that plan is
applied. An attempt made later for another reason has a higher number, so no plan ever replaces it. Nothing
here reads a stored result: scores and checks have columns of their own.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple, TypeVarTuple
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Select, Subquery, and_, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from grader.db import models
from grader.domain.attempts import AttemptState
from grader.domain.reviewing import AdjustmentKind, PlanState
from grader.domain.standing import GradedWork

_NOTHING = Fraction(0)
Columns = TypeVarTuple("Columns")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountingAttempt:
    """The attempt that a submission is judged by; points are those it earned, before staff adjust them."""

    attempt_id: UUID
    submission_id: UUID
    version_id: UUID
    number: int
    score: Fraction
    max_score: Fraction


class WorkOf(NamedTuple):
    """A submission with what it is worth, whose it is and which attempt says so (None: not graded yet)."""

    assignment_id: UUID
    user_id: UUID
    attempt_id: UUID | None
    work: GradedWork


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which submissions are asked for; what is None does not restrict. An empty collection asks for none."""

    course_id: UUID | None = None
    assignment_id: UUID | None = None
    user_id: UUID | None = None
    submission_ids: Collection[UUID] | None = None
    supposing: UUID | None = None
    """A regrade plan taken as applied, whatever its state: what would count then."""
    without: UUID | None = None
    """A regrade plan taken as not applied."""

    def narrow(self, query: Select[*Columns]) -> Select[*Columns]:
        """The query, which selects from Submission, for these submissions alone."""
        if self.course_id is not None:
            assignments = select(models.Assignment.id).where(models.Assignment.course_id == self.course_id)
            query = query.where(models.Submission.assignment_id.in_(assignments))
        if self.assignment_id is not None:
            query = query.where(models.Submission.assignment_id == self.assignment_id)
        if self.user_id is not None:
            query = query.where(models.Submission.user_id == self.user_id)
        if self.submission_ids is not None:
            query = query.where(models.Submission.id.in_(tuple(self.submission_ids)))
        return query


def counting_attempts(session: Session, scope: Scope) -> Mapping[UUID, CountingAttempt]:
    """The counting attempt of each submission that has one, by the submission's id; one query."""
    counting = counting_query(scope)
    attempt = aliased(models.Attempt)
    query = select(
        attempt.id,
        attempt.submission_id,
        attempt.version_id,
        attempt.number,
        attempt.score,
        attempt.max_score,
    ).join(counting, counting.c.attempt_id == attempt.id)
    return {
        row.submission_id: CountingAttempt(
            attempt_id=row.id,
            submission_id=row.submission_id,
            version_id=row.version_id,
            number=row.number,
            score=row.score,
            max_score=row.max_score,
        )
        for row in session.execute(query)
    }


def graded_works(session: Session, scope: Scope) -> tuple[WorkOf, ...]:
    """Every submission in scope with its points as staff adjusted them, by number; three queries."""
    latest = _latest_countable(scope)
    query = scope.narrow(
        select(
            models.Submission.id,
            models.Submission.assignment_id,
            models.Submission.user_id,
            models.Submission.number,
            models.Submission.received_at,
            models.Attempt.id,
            models.Attempt.score,
            models.Attempt.max_score,
        ).outerjoin(models.Attempt, models.Attempt.id == latest)
    ).order_by(models.Submission.number)
    adjusted = adjusted_by(session, scope)
    # A course has tens of thousands of these: a row is taken apart once, and nothing is asked for by name.
    return tuple(
        WorkOf(
            assignment_id,
            user_id,
            attempt_id,
            GradedWork(
                submission_id,
                number,
                received_at,
                earned,
                max_score,
                adjusted.get(submission_id, _NOTHING) if adjusted else _NOTHING,
            ),
        )
        for (
            submission_id,
            assignment_id,
            user_id,
            number,
            received_at,
            attempt_id,
            earned,
            max_score,
        ) in session.connection().execute(query).all()
    )


def by_student(works: Iterable[WorkOf]) -> Mapping[UUID, Mapping[UUID, Sequence[GradedWork]]]:
    """The works of each student in each assignment, in the order of their numbers."""
    found: dict[UUID, dict[UUID, list[GradedWork]]] = defaultdict(dict)
    for assignment_id, user_id, _, work in works:
        found[user_id].setdefault(assignment_id, []).append(work)
    return found


def adjusted_by(
    session: Session, scope: Scope, *, shown: Callable[[UUID, str], bool] | None = None
) -> Mapping[UUID, Fraction]:
    """What staff added to or took from each submission that they adjusted; two queries.

    A check that was set replaces what the counting attempt found for it, so that a regrade does not add the
    same points twice; it gives no more than the check is worth in that attempt. One that the attempt does not
    have changes nothing. With `shown` only those checks of a submission are counted that somebody may see.
    """
    rows = _adjustments(session, scope)
    if not rows:
        return {}
    found = _earned_where_set(session, scope)
    added: dict[UUID, Fraction] = defaultdict(Fraction)
    latest: dict[tuple[UUID, str], Fraction] = {}
    for row in rows:
        if row.kind is AdjustmentKind.ADD:
            added[row.submission_id] += row.points
        else:
            latest[row.submission_id, row.check_id] = row.points
    for (submission_id, check_id), points in latest.items():
        if (submission_id, check_id) in found and (shown is None or shown(submission_id, check_id)):
            earned, worth = found[submission_id, check_id]
            added[submission_id] += min(points, worth) - earned
    return dict(added)


def counting_query(scope: Scope) -> Subquery:
    """The counting attempts in scope, for joining: columns `submission_id` and `attempt_id`."""
    latest = _latest_countable(scope)
    query = select(models.Submission.id.label("submission_id"), latest.label("attempt_id"))
    return scope.narrow(query).where(latest.is_not(None)).subquery()


def _latest_countable(scope: Scope) -> ScalarSelect[UUID]:
    """The counting attempt of the submission that an outer query looks at.

    Asked for each submission by itself, which an index answers. Ranking all attempts and joining the ranks
    would read them all for every submission: SQLite gives a derived table no index in an outer join.
    """
    attempt, item = aliased(models.Attempt), aliased(models.RegradeItem)
    plan = aliased(models.RegradePlan)
    return (
        select(attempt.id)
        .outerjoin(item, item.attempt_id == attempt.id)
        .outerjoin(plan, plan.id == item.plan_id)
        .where(
            attempt.submission_id == models.Submission.id,
            attempt.state == AttemptState.GRADED,
            _plan_allows(scope, plan_id=plan.id, state=plan.state),
        )
        .order_by(attempt.number.desc())
        .limit(1)
        .correlate(models.Submission)
        .scalar_subquery()
    )


def _plan_allows(
    scope: Scope,
    *,
    plan_id: InstrumentedAttribute[UUID],
    state: InstrumentedAttribute[PlanState],
) -> ColumnElement[bool]:
    """Whether an attempt may count: none of a plan's making, or that plan is applied."""
    applied: ColumnElement[bool] = state == PlanState.APPLIED
    if scope.supposing is not None:
        applied = or_(applied, plan_id == scope.supposing)
    if scope.without is not None:
        applied = and_(applied, plan_id != scope.without)
    return or_(plan_id.is_(None), applied)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Adjusted:
    submission_id: UUID
    kind: AdjustmentKind
    check_id: str
    points: Fraction
    created_at: datetime


def _adjustments(session: Session, scope: Scope) -> tuple[_Adjusted, ...]:
    """Those that hold, oldest first: neither revoked nor the revoking of another."""
    revoking = aliased(models.Adjustment)
    query = (
        select(
            models.Adjustment.submission_id,
            models.Adjustment.kind,
            models.Adjustment.check_id,
            models.Adjustment.points,
            models.Adjustment.created_at,
        )
        .join(models.Submission, models.Submission.id == models.Adjustment.submission_id)
        .outerjoin(revoking, revoking.revokes_id == models.Adjustment.id)
        .where(models.Adjustment.revokes_id.is_(None), revoking.id.is_(None))
        .order_by(models.Adjustment.created_at, models.Adjustment.id)
    )
    return tuple(
        _Adjusted(
            submission_id=row.submission_id,
            kind=row.kind,
            check_id=row.check_id or "",
            points=row.points,
            created_at=row.created_at,
        )
        for row in session.execute(scope.narrow(query))
    )


def _earned_where_set(session: Session, scope: Scope) -> Mapping[tuple[UUID, str], tuple[Fraction, Fraction]]:
    """What counting attempts found for the checks that staff have set, and what those are worth there."""
    counting = counting_query(scope)
    query = (
        select(
            counting.c.submission_id,
            models.CheckResult.check_id,
            models.CheckResult.earned,
            models.CheckResult.points,
        )
        .join(models.CheckResult, models.CheckResult.attempt_id == counting.c.attempt_id)
        .join(
            models.Adjustment,
            and_(
                models.Adjustment.submission_id == counting.c.submission_id,
                models.Adjustment.check_id == models.CheckResult.check_id,
            ),
        )
        .distinct()
    )
    return {
        (row.submission_id, row.check_id): (row.earned or _NOTHING, row.points)
        for row in session.execute(query)
    }
