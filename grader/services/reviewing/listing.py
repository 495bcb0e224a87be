"""All submissions of a course or an assignment in one light query: what a review queue stands on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.domain.attempts import AttemptState
from grader.domain.people import Role
from grader.services.counting import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """One submission of a student, with its newest attempt's state and the state of its review.

    `newest`: the student has handed in nothing later for the same assignment.
    """

    submission_id: UUID
    user_id: UUID
    name: str
    login: str
    section: str | None
    assignment: str
    assignment_title: str
    number: int
    newest: bool
    received_at: datetime
    state: AttemptState
    flags: int
    reviewed_at: datetime | None
    reviewed_by: str | None


def load_listed(session: Session, scope: Scope) -> tuple[Listed, ...]:
    """The submissions in scope; what course staff hand in to try an assignment is not among them."""
    # The newest attempt and the newest submission are told by rank, so that each takes one pass.
    attempt_rank = func.row_number().over(
        partition_by=models.Attempt.submission_id, order_by=models.Attempt.number.desc()
    )
    attempts = (
        scope.narrow(
            select(
                models.Attempt.submission_id,
                models.Attempt.state,
                models.Attempt.flag_count,
                attempt_rank.label("rank"),
            ).join(models.Submission, models.Submission.id == models.Attempt.submission_id)
        )
    ).subquery()
    submission_rank = func.row_number().over(
        partition_by=(models.Submission.assignment_id, models.Submission.user_id),
        order_by=models.Submission.number.desc(),
    )
    reviewer = aliased(models.User)
    query = scope.narrow(
        select(
            models.Submission.id,
            models.Submission.user_id,
            models.User.name,
            models.User.login,
            models.RosterEntry.section,
            models.Assignment.slug,
            models.Assignment.title,
            models.Submission.number,
            submission_rank.label("rank"),
            models.Submission.received_at,
            attempts.c.state,
            attempts.c.flag_count,
            models.Review.reviewed_at,
            reviewer.name.label("reviewer"),
        )
        .join(models.User, models.User.id == models.Submission.user_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .join(attempts, and_(attempts.c.submission_id == models.Submission.id, attempts.c.rank == 1))
        .outerjoin(
            models.Membership,
            and_(
                models.Membership.user_id == models.Submission.user_id,
                models.Membership.course_id == models.Assignment.course_id,
            ),
        )
        .outerjoin(
            models.RosterEntry,
            and_(
                models.RosterEntry.user_id == models.Submission.user_id,
                models.RosterEntry.course_id == models.Assignment.course_id,
            ),
        )
        .outerjoin(models.Review, models.Review.submission_id == models.Submission.id)
        .outerjoin(reviewer, reviewer.id == models.Review.reviewed_by)
        .where(or_(models.Membership.role.is_(None), models.Membership.role == Role.STUDENT))
    )
    return tuple(
        Listed(
            submission_id=row.id,
            user_id=row.user_id,
            name=row.name,
            login=row.login,
            section=row.section,
            assignment=row.slug,
            assignment_title=row.title,
            number=row.number,
            newest=row.rank == 1,
            received_at=row.received_at,
            state=row.state,
            flags=row.flag_count,
            reviewed_at=row.reviewed_at,
            reviewed_by=row.reviewer,
        )
        for row in session.execute(query)
    )
