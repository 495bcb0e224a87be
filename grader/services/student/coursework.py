"""A student's view of a course: what is open, until when, what they have, and what of it counts so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.lateness import Allowance, Deadline, accepts, deadline_for
from grader.domain.pricing import Books
from grader.domain.scheduling import Schedule
from grader.domain.standing import NOTHING_HANDED_IN, CourseRules, Standing
from grader.domain.view import HiddenChecks, Reader
from grader.services.access import Actor, Seat, seat_in, seats_of
from grader.services.counting import Scope
from grader.services.readers import reader_for
from grader.services.schedules import allowances_in, schedules_of
from grader.services.student.points import VisibleWork, hidden_in, visible_works, worth_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Coursework:
    """One assignment as one member sees it.

    `max_score` is what the newest version is worth in all; `hidden` which checks of it are not open to them.
    `standing` is made of open checks only; while some are hidden it says what counts so far.
    """

    assignment_id: UUID
    slug: str
    title: str
    schedule: Schedule
    allowance: Allowance
    deadline: Deadline
    reader: Reader
    closed: bool
    max_score: Fraction
    hidden: tuple[HiddenChecks, ...]
    works: tuple[VisibleWork, ...]
    standing: Standing
    chosen: UUID | None

    @property
    def open_score(self) -> Fraction:
        """What the open checks are worth."""
        return self.max_score - sum((part.points for part in self.hidden), Fraction(0))

    @property
    def worth(self) -> Fraction:
        """What the points so far are out of: the version that they were graded by may not be the newest."""
        work = self.standing.work
        return self.open_score if work is None or work.max_score is None else work.max_score

    @property
    def counting(self) -> UUID | None:
        """The submission that counts so far."""
        return None if self.standing.work is None else self.standing.work.submission_id


@dataclass(frozen=True, slots=True, kw_only=True)
class CourseView:
    """A course as one member sees it; `grace_left` of `grace_days` are not spent so far."""

    seat: Seat
    now: datetime
    archived: bool
    grace_days: int
    books: Books
    items: tuple[Coursework, ...]

    @property
    def grace_left(self) -> int:
        return self.grace_days - sum(item.standing.lateness.grace_days for item in self.items)

    def item(self, slug: str) -> Coursework:
        """The assignment of that slug; NotFound if there is none for this member."""
        for item in self.items:
            if item.slug == slug:
                return item
        raise NotFound("assignment", slug)


def courses_of(database: Database, *, actor: Actor) -> tuple[Seat, ...]:
    """The courses that somebody is a member of."""
    with database.reading() as session:
        return seats_of(session, user_id=actor.user_id)


def course_for(database: Database, *, actor: Actor, course: str) -> CourseView:
    """A course as that member sees it; NotFound for a stranger."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id)
        return course_view(session, seat, user_id=actor.user_id, now=database.now(session))


def course_view(session: Session, seat: Seat, *, user_id: UUID, now: datetime) -> CourseView:
    """A course as `user_id` has it, read from `seat`: their own, or that of staff.

    The number of queries is constant. From a staff's seat everything is open, drafts included.
    """
    rows = session.scalars(
        select(models.Assignment)
        .where(models.Assignment.course_id == seat.course_id)
        .order_by(models.Assignment.created_at, models.Assignment.slug)
    ).all()
    schedules = schedules_of(session, [row.id for row in rows])
    rubrics = _newest_rubrics(session, seat.course_id)
    shown = [
        row
        for row in rows
        if row.id in rubrics and (seat.staff or schedules[row.id].visible_to_students(now))
    ]
    allowances = allowances_in(session, course_id=seat.course_id, user_id=user_id)
    granted = {row.id: allowances.of(assignment_id=row.id, user_id=user_id) for row in rows}
    deadlines = {row.id: deadline_for(schedules[row.id], granted[row.id], seat.zone) for row in rows}
    readers = {
        row.id: reader_for(seat, schedule=schedules[row.id], deadline=deadlines[row.id], now=now)
        for row in rows
    }
    works = _by_assignment(
        visible_works(
            session,
            Scope(course_id=seat.course_id, user_id=user_id),
            reader_of=readers.__getitem__,
        )
    )
    chosen = _choices(session, seat.course_id, user_id)
    policy = session.get(models.CoursePolicy, seat.course_id)
    grace_days = 0 if policy is None else policy.grace_days
    books = Books(
        rules=CourseRules.of(schedules, zone=seat.zone, grace_days=grace_days),
        handed_in={key: [item.work for item in items] for key, items in works.items()},
        allowances=granted,
        chosen=chosen,
    )
    found = books.standings()
    return CourseView(
        seat=seat,
        now=now,
        archived=policy is not None and policy.archived_at is not None,
        grace_days=grace_days,
        books=books,
        items=tuple(
            Coursework(
                assignment_id=row.id,
                slug=row.slug,
                title=row.title,
                schedule=schedules[row.id],
                allowance=granted[row.id],
                deadline=deadlines[row.id],
                reader=readers[row.id],
                closed=not accepts(deadlines[row.id], now),
                max_score=worth_of(rubrics[row.id]),
                hidden=hidden_in(rubrics[row.id], readers[row.id]),
                works=works.get(row.id, ()),
                standing=found.get(row.id, NOTHING_HANDED_IN),
                chosen=chosen.get(row.id),
            )
            for row in shown
        ),
    )


def _by_assignment(works: Sequence[VisibleWork]) -> Mapping[UUID, tuple[VisibleWork, ...]]:
    found: defaultdict[UUID, list[VisibleWork]] = defaultdict(list)
    for item in works:
        found[item.assignment_id].append(item)
    return {assignment_id: tuple(items) for assignment_id, items in found.items()}


def _newest_rubrics(session: Session, course_id: UUID) -> Mapping[UUID, Mapping[str, Any]]:
    """By published assignment, the rubric of its newest version."""
    newest = (
        select(
            models.AssignmentVersion.assignment_id, func.max(models.AssignmentVersion.number).label("number")
        )
        .join(models.Assignment, models.Assignment.id == models.AssignmentVersion.assignment_id)
        .where(models.Assignment.course_id == course_id)
        .group_by(models.AssignmentVersion.assignment_id)
        .subquery()
    )
    rows = session.execute(
        select(models.AssignmentVersion.assignment_id, models.AssignmentVersion.rubric).join(
            newest,
            (newest.c.assignment_id == models.AssignmentVersion.assignment_id)
            & (newest.c.number == models.AssignmentVersion.number),
        )
    )
    return {row.assignment_id: row.rubric for row in rows}


def _choices(session: Session, course_id: UUID, user_id: UUID) -> Mapping[UUID, UUID]:
    rows = session.execute(
        select(models.SubmissionChoice.assignment_id, models.SubmissionChoice.submission_id)
        .join(models.Assignment, models.Assignment.id == models.SubmissionChoice.assignment_id)
        .where(models.Assignment.course_id == course_id, models.SubmissionChoice.user_id == user_id)
    )
    return {row.assignment_id: row.submission_id for row in rows}
