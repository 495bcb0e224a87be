"""One student's record in a course: what counts, how it came about, and what staff changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, aliased

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.domain.ledger import GrantedBy, LedgerLine, deadline_ledger, lateness_ledger
from grader.domain.reviewing import AdjustmentKind
from grader.domain.standing import GradedWork, Standing
from grader.domain.text import one_line
from grader.services.access import Actor, Seat, seat_in
from grader.services.counting import Scope
from grader.services.gradebook import Column, Student, columns_of, students_of
from grader.services.standings import CourseWork, course_work


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """One change of points by staff, in force or taken back; append-only."""

    submission_number: int
    kind: AdjustmentKind
    check_id: str | None
    points: Fraction
    reason: str
    author: str | None
    created_at: datetime
    revoked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRecord:
    """A student's standing in one assignment with everything that led to it."""

    column: Column
    standing: Standing
    submissions: tuple[GradedWork, ...]
    ledger: tuple[LedgerLine, ...]
    overrides: tuple[Override, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudentRecord:
    """All of it, assignment by assignment. `grace_left` is what remains of the course's grace days."""

    seat: Seat
    student: Student
    assignments: tuple[AssignmentRecord, ...]
    grace_days: int
    grace_left: int

    @property
    def total(self) -> Fraction:
        return sum((item.standing.points or Fraction(0) for item in self.assignments), Fraction(0))


def student_record(database: Database, *, actor: Actor, course: str, login: str) -> StudentRecord:
    """A student's record, for staff; NotFound if the course has no such student."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff().require_names()
        student = next((item for item in students_of(session, seat.course_id) if item.login == login), None)
        if student is None:
            raise NotFound("student", one_line(login, 80), "The roster lists the course's students.")
        return _record(session, seat, student)


def _record(session: Session, seat: Seat, student: Student) -> StudentRecord:
    work = course_work(session, seat, scope=Scope(course_id=seat.course_id, user_id=student.id))
    standings = work.of(student.id)
    overrides = _overrides(session, seat, student.id)
    granters = _granters(session, work.allowances.extensions.get(student.id, {}))
    assignments = tuple(
        AssignmentRecord(
            column=column,
            standing=standings[column.id],
            submissions=tuple(work.by_student.get(student.id, {}).get(column.id, ())),
            ledger=_ledger(work, column, standings[column.id], student.id, granters),
            overrides=overrides.get(column.id, ()),
        )
        for column in columns_of(session, seat, work.schedules)
    )
    spent = sum(item.standing.lateness.grace_days for item in assignments)
    return StudentRecord(
        seat=seat,
        student=student,
        assignments=assignments,
        grace_days=work.rules.grace_days,
        grace_left=work.rules.grace_days - spent,
    )


def _ledger(
    work: CourseWork, column: Column, standing: Standing, user_id: UUID, granters: Mapping[UUID, GrantedBy]
) -> tuple[LedgerLine, ...]:
    allowance = work.allowances.of(assignment_id=column.id, user_id=user_id)
    lines = deadline_ledger(column.schedule, allowance, work.seat.zone, granted=granters.get(column.id))
    if standing.work is None:
        return lines
    late = lateness_ledger(standing.work.received_at, schedule=column.schedule, late=standing.lateness)
    return (*lines, *late)


def _granters(session: Session, extensions: Mapping[UUID, models.Extension]) -> Mapping[UUID, GrantedBy]:
    """Who granted a student's extensions, by assignment."""
    ids = {row.granted_by for row in extensions.values() if row.granted_by is not None}
    names = {
        row.id: row.name
        for row in session.execute(select(models.User.id, models.User.name).where(models.User.id.in_(ids)))
    }
    return {
        assignment_id: GrantedBy(name=names.get(row.granted_by), reason=row.reason)
        for assignment_id, row in extensions.items()
    }


def _overrides(session: Session, seat: Seat, user_id: UUID) -> Mapping[UUID, tuple[Override, ...]]:
    revoking, author = aliased(models.Adjustment), aliased(models.User)
    rows = session.execute(
        select(
            models.Submission.assignment_id,
            models.Submission.number,
            models.Adjustment,
            author.name.label("author"),
            revoking.id.label("revoked_by"),
        )
        .join(models.Submission, models.Submission.id == models.Adjustment.submission_id)
        .join(models.Assignment, models.Assignment.id == models.Submission.assignment_id)
        .outerjoin(author, author.id == models.Adjustment.author_id)
        .outerjoin(revoking, revoking.revokes_id == models.Adjustment.id)
        .where(
            models.Assignment.course_id == seat.course_id,
            models.Submission.user_id == user_id,
            models.Adjustment.revokes_id.is_(None),
        )
        .order_by(models.Adjustment.created_at)
    )
    found: dict[UUID, list[Override]] = defaultdict(list)
    for assignment_id, number, row, name, revoked_by in rows:
        found[assignment_id].append(
            Override(
                submission_number=number,
                kind=row.kind,
                check_id=row.check_id,
                points=row.points,
                reason=row.reason,
                author=name,
                created_at=row.created_at,
                revoked=revoked_by is not None,
            )
        )
    return {key: tuple(items) for key, items in found.items()}
