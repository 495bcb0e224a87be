"""Who may see and do what. Every question that a person asks goes through here, inside its own query.

A stranger to a course gets the same answer as for a course that does not exist, and so does a student for
another's submission: an id tells nobody that something is there. Where a course hides names, its teaching
assistants reach submissions through `submission_under_review` alone, by which nobody learns whose they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.errors import NotAllowed, NotFound
from grader.domain.people import Role
from grader.services.schedules import schedule_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Somebody who is logged in. `timezone` (IANA) is theirs for display; None follows the course."""

    user_id: UUID
    login: str
    name: str
    timezone: str | None = None
    may_create_courses: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A person's place in a course. `names_hidden`: they may not know whose work it is that they read."""

    user_id: UUID
    role: Role
    course_id: UUID
    course_slug: str
    course_title: str
    timezone: str
    names_hidden: bool = False

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.timezone)

    @property
    def staff(self) -> bool:
        return self.role.staff

    def require(self, *roles: Role) -> Seat:
        """This seat, if it has one of the roles; NotAllowed otherwise."""
        if self.role not in roles:
            needed = " or ".join(role.value for role in roles)
            raise NotAllowed(
                f"this needs the role {needed} in {self.course_slug}; yours is {self.role.value}."
            )
        return self

    def require_staff(self) -> Seat:
        """This seat, if it is a TA's or an instructor's."""
        return self.require(Role.TA, Role.INSTRUCTOR)

    def require_instructor(self) -> Seat:
        """This seat, if it is an instructor's."""
        return self.require(Role.INSTRUCTOR)

    def require_names(self) -> Seat:
        """This seat, if whoever has it may know which student is which."""
        if self.names_hidden:
            raise NotAllowed(
                f"The course {self.course_slug} hides names from its teaching assistants. Read the work in "
                "the review queue, where each student has another name."
            )
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionSeat:
    """A submission and the seat from which somebody looks at it."""

    seat: Seat
    submission: models.Submission
    assignment: models.Assignment

    @property
    def own(self) -> bool:
        return self.submission.user_id == self.seat.user_id


def seat_in(session: Session, *, course: str, user_id: UUID) -> Seat:
    """A member's seat in the course of that slug; NotFound for a stranger."""
    row = session.execute(
        select(models.Course, models.Membership, models.CoursePolicy.names_hidden)
        .join(models.Membership, models.Membership.course_id == models.Course.id)
        .outerjoin(models.CoursePolicy, models.CoursePolicy.course_id == models.Course.id)
        .where(models.Course.slug == course, models.Membership.user_id == user_id)
    ).one_or_none()
    if row is None:
        raise NotFound("course", course)
    return _seat(*row)


def seats_of(session: Session, *, user_id: UUID) -> tuple[Seat, ...]:
    """All courses that somebody is a member of, by title."""
    rows = session.execute(
        select(models.Course, models.Membership, models.CoursePolicy.names_hidden)
        .join(models.Membership, models.Membership.course_id == models.Course.id)
        .outerjoin(models.CoursePolicy, models.CoursePolicy.course_id == models.Course.id)
        .where(models.Membership.user_id == user_id)
        .order_by(models.Course.title, models.Course.slug)
    )
    return tuple(_seat(*row) for row in rows)


def assignment_in(session: Session, seat: Seat, *, slug: str, now: datetime) -> models.Assignment:
    """An assignment of the seat's course; one that is not open yet exists for staff only."""
    found = session.scalar(
        select(models.Assignment).where(
            models.Assignment.course_id == seat.course_id, models.Assignment.slug == slug
        )
    )
    if found is None or not (seat.staff or schedule_of(session, found.id).visible_to_students(now)):
        raise NotFound("assignment", slug)
    return found


def submission_for(session: Session, *, submission_id: UUID, user_id: UUID) -> SubmissionSeat:
    """A submission for its author, as long as they are a member, or for staff who may know whose it is."""
    found = submission_under_review(session, submission_id=submission_id, user_id=user_id)
    if not found.own:
        found.seat.require_names()
    return found


def submission_under_review(session: Session, *, submission_id: UUID, user_id: UUID) -> SubmissionSeat:
    """As `submission_for`, for all staff: who asks so tells a seat without names nothing of its author."""
    row = session.execute(
        select(
            models.Submission,
            models.Assignment,
            models.Course,
            models.Membership,
            models.CoursePolicy.names_hidden,
        )
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .join(models.Course, models.Course.id == models.Assignment.course_id)
        .join(models.Membership, models.Membership.course_id == models.Course.id)
        .outerjoin(models.CoursePolicy, models.CoursePolicy.course_id == models.Course.id)
        .where(models.Submission.id == submission_id, models.Membership.user_id == user_id)
    ).one_or_none()
    if row is None:
        raise NotFound("submission", str(submission_id))
    submission, assignment, course, member, hidden = row
    if not (member.role.staff or submission.user_id == user_id):
        raise NotFound("submission", str(submission_id))
    return SubmissionSeat(seat=_seat(course, member, hidden), submission=submission, assignment=assignment)


def _seat(course: models.Course, member: models.Membership, hidden: bool | None) -> Seat:  # noqa: FBT001 - a column
    """A seat; `hidden` is the course's rule on names, None where it has set none."""
    return Seat(
        user_id=member.user_id,
        role=member.role,
        course_id=course.id,
        course_slug=course.slug,
        course_title=course.title,
        timezone=course.timezone,
        names_hidden=bool(hidden) and member.role is Role.TA,
    )
