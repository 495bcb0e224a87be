"""Whether somebody may hand in now: opening, closing, how often, how soon after the last time.

The moment that decides is the server's clock when an upload has arrived whole, before it is read. Submissions
that no attempt could judge, through no fault of their author, use up nothing. Course staff may always hand
in: they try an assignment out, and what they hand in is in no gradebook.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.attempts import STATES_FOR_STAFF
from grader.domain.errors import NotFound, SubmissionClosed, TooManyRequests
from grader.domain.lateness import Deadline, accepts, days_late, deadline_for, past_due
from grader.domain.moments import moment_text
from grader.domain.people import Role
from grader.domain.scheduling import Schedule
from grader.services.schedules import allowances_in, schedule_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What the rules say about handing in at the moment `at`.

    `used` submissions of `limit` (None: any number) are gone; `next_at` is when the cool-down ends, None if
    none holds. What lateness costs is no matter of turns: `grader.services.student.prices` tells.
    """

    at: datetime
    zone: ZoneInfo
    staff: bool
    visible: bool
    archived: bool
    deadline: Deadline
    used: int
    limit: int | None
    next_at: datetime | None

    @property
    def closed(self) -> bool:
        """Whether the last moment has passed."""
        return not accepts(self.deadline, self.at)

    @property
    def left(self) -> int | None:
        """Submissions left; None for any number."""
        return None if self.limit is None else max(0, self.limit - self.used)

    @property
    def past_due(self) -> bool:
        """Whether this student's own deadline has passed."""
        return past_due(self.deadline, self.at)

    @property
    def days_late(self) -> int:
        """Days begun after this student's own deadline."""
        due_at = self.deadline.due_at
        return 0 if due_at is None else days_late(self.at, due_at, self.zone)

    @property
    def refusal(self) -> str:
        """Why nothing can be handed in now; empty if it can."""
        if self.staff:
            return ""
        if self.archived:
            return "The course is archived and takes no more submissions."
        if self.closed and self.deadline.closes_at is not None:
            return f"It closed on {moment_text(self.deadline.closes_at, self.zone, seconds=True)}."
        if self.left == 0:
            return (
                f"All {self.limit} submissions are used. Those that could not be graded through no fault of "
                "yours are not counted."
            )
        if self.next_at is not None:
            return f"The next submission is taken at {moment_text(self.next_at, self.zone, seconds=True)}."
        return ""

    @property
    def open(self) -> bool:
        """Whether a submission is taken now."""
        return self.visible and not self.refusal

    def require(self, slug: str) -> None:
        """Raise what stands against handing in.

        NotFound where the assignment does not exist for this person yet; TooManyRequests in a cool-down;
        SubmissionClosed otherwise.
        """
        if not self.visible:
            raise NotFound("assignment", slug)
        if not self.refusal:
            return
        message = f"Nothing was handed in for {slug}. {self.refusal}"
        final = self.archived or self.closed or self.left == 0
        if self.next_at is not None and not final:
            raise TooManyRequests(message, retry_after_s=(self.next_at - self.at).total_seconds())
        raise SubmissionClosed(message)


def turn_of(
    session: Session, assignment: models.Assignment, *, user_id: UUID, role: Role, at: datetime
) -> Turn:
    """The turn of one member of the assignment's course, in six short queries."""
    schedule = schedule_of(session, assignment.id)
    zone = ZoneInfo(session.get_one(models.Course, assignment.course_id).timezone)
    allowances = allowances_in(session, course_id=assignment.course_id, user_id=user_id)
    deadline = deadline_for(schedule, allowances.of(assignment_id=assignment.id, user_id=user_id), zone)
    policy = session.get(models.CoursePolicy, assignment.course_id)
    received = _counted(session, assignment_id=assignment.id, user_id=user_id)
    return Turn(
        at=at,
        zone=zone,
        staff=role.staff,
        visible=role.staff or schedule.visible_to_students(at),
        archived=policy is not None and policy.archived_at is not None and policy.archived_at <= at,
        deadline=deadline,
        used=len(received),
        limit=schedule.submission_limit,
        next_at=_cooled_down(schedule, received, at),
    )


def _counted(session: Session, *, assignment_id: UUID, user_id: UUID) -> tuple[datetime, ...]:
    """When the submissions that use up a turn were received."""
    judged = (
        select(models.Attempt.id)
        .where(
            models.Attempt.submission_id == models.Submission.id,
            models.Attempt.state.not_in(tuple(STATES_FOR_STAFF)),
        )
        .exists()
    )
    return tuple(
        session.scalars(
            select(models.Submission.received_at).where(
                models.Submission.assignment_id == assignment_id,
                models.Submission.user_id == user_id,
                judged,
            )
        )
    )


def _cooled_down(schedule: Schedule, received: tuple[datetime, ...], at: datetime) -> datetime | None:
    if not received or not schedule.cooldown_s:
        return None
    ends = max(received) + timedelta(seconds=schedule.cooldown_s)
    return ends if ends > at else None
