"""The gradebook: who has how many points in what, in a constant number of queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any
from uuid import UUID

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import InvalidInput
from grader.domain.people import Role
from grader.domain.scheduling import Schedule
from grader.domain.standing import Standing
from grader.domain.text import listing, one_line
from grader.services.access import Actor, Seat, seat_in
from grader.services.standings import course_work


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One assignment. `max_score` is what its newest version is worth; None before it has one."""

    id: UUID
    slug: str
    title: str
    max_score: Fraction | None
    schedule: Schedule


@dataclass(frozen=True, slots=True, kw_only=True)
class Student:
    """A student as rosters know them."""

    id: UUID
    login: str
    name: str
    email: str | None = None
    student_number: str | None = None
    section: str | None = None
    extra_days: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookRow:
    """One student with what counts in each assignment, in the order of the columns."""

    student: Student
    cells: tuple[Standing, ...]

    @property
    def total(self) -> Fraction:
        """Points over all assignments; what is missing or not graded counts nothing."""
        return sum((cell.points for cell in self.cells if cell.points is not None), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A course's students and what they have. `sections` are all there are, whatever is shown."""

    seat: Seat
    columns: tuple[Column, ...]
    rows: tuple[GradebookRow, ...]
    sections: tuple[str, ...]

    @property
    def max_total(self) -> Fraction:
        return sum((column.max_score for column in self.columns if column.max_score is not None), Fraction(0))


class SortKey(StrEnum):
    """What the gradebook may be sorted by beside an assignment."""

    NAME = "name"
    LOGIN = "login"
    NUMBER = "number"
    SECTION = "section"
    TOTAL = "total"


def gradebook(
    database: Database,
    *,
    actor: Actor,
    course: str,
    section: str | None = None,
    sort: str = SortKey.NAME.value,
    descending: bool = False,
) -> Gradebook:
    """The gradebook of a course, for staff.

    `sort` is one of `SortKey` or an assignment's slug; InvalidInput where it is neither.
    """
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff().require_names()
        return gradebook_of(session, seat, section=section, sort=sort, descending=descending)


def gradebook_of(
    session: Session,
    seat: Seat,
    *,
    section: str | None = None,
    sort: str = SortKey.NAME.value,
    descending: bool = False,
) -> Gradebook:
    """As `gradebook`, in the caller's session and for whoever the caller has let in."""
    work = course_work(session, seat)
    columns = columns_of(session, seat, work.schedules)
    everybody = students_of(session, seat.course_id)
    shown = [student for student in everybody if section is None or student.section == section]
    ids = [column.id for column in columns]
    rows = [
        GradebookRow(student=student, cells=tuple(map(work.of(student.id).__getitem__, ids)))
        for student in shown
    ]
    # By name first: sorting keeps the order of equals, also when it is turned round.
    rows.sort(key=lambda row: (row.student.name.casefold(), row.student.login))
    rows.sort(key=_sorting(sort, columns), reverse=descending)
    sections = sorted({student.section for student in everybody if student.section is not None})
    return Gradebook(seat=seat, columns=columns, rows=tuple(rows), sections=tuple(sections))


def columns_of(session: Session, seat: Seat, schedules: Mapping[UUID, Schedule]) -> tuple[Column, ...]:
    """A course's assignments in the order of their deadlines; those without one come last."""
    newest = (
        select(
            models.AssignmentVersion.assignment_id, func.max(models.AssignmentVersion.number).label("number")
        )
        .group_by(models.AssignmentVersion.assignment_id)
        .subquery()
    )
    version = models.AssignmentVersion
    rows = session.execute(
        select(models.Assignment.id, models.Assignment.slug, models.Assignment.title, version.rubric)
        .outerjoin(newest, newest.c.assignment_id == models.Assignment.id)
        .outerjoin(
            version, and_(version.assignment_id == models.Assignment.id, version.number == newest.c.number)
        )
        .where(models.Assignment.course_id == seat.course_id)
    )
    columns = [
        Column(
            id=row.id,
            slug=row.slug,
            title=row.title,
            max_score=worth_of(row.rubric),
            schedule=schedules.get(row.id, Schedule()),
        )
        for row in rows
    ]
    return tuple(sorted(columns, key=_by_deadline))


def students_of(session: Session, course_id: UUID) -> tuple[Student, ...]:
    """A course's students with what its roster knows, by name."""
    entry = models.RosterEntry
    rows = session.execute(
        select(
            models.User.id,
            models.User.login,
            models.User.name,
            models.User.email,
            entry.student_number,
            entry.section,
            entry.extra_days,
        )
        .join(models.Membership, models.Membership.user_id == models.User.id)
        .outerjoin(entry, and_(entry.user_id == models.User.id, entry.course_id == course_id))
        .where(models.Membership.course_id == course_id, models.Membership.role == Role.STUDENT)
        .order_by(models.User.name, models.User.login)
    )
    return tuple(
        Student(
            id=user_id,
            login=login,
            name=name,
            email=email,
            student_number=student_number,
            section=section,
            extra_days=extra_days or 0,
        )
        for user_id, login, name, email, student_number, section, extra_days in rows
    )


def worth_of(rubric: Mapping[str, Any] | None) -> Fraction | None:
    """What a version is worth, read from the rubric as it was published."""
    if rubric is None:
        return None
    return sum((Fraction(check["points"]) for check in rubric["checks"]), Fraction(0))


def _by_deadline(column: Column) -> tuple[bool, float, str]:
    due_at = column.schedule.due_at
    return (due_at is None, 0.0 if due_at is None else due_at.timestamp(), column.slug)


def _sorting(sort: str, columns: tuple[Column, ...]) -> Callable[[GradebookRow], Any]:
    """What rows are compared by: one of a fixed set of things, or an assignment's points."""
    index = next((at for at, column in enumerate(columns) if column.slug == sort), None)
    if index is not None:
        return lambda row: _points(row.cells[index])
    keys: dict[str, Callable[[GradebookRow], Any]] = {
        SortKey.NAME: lambda row: row.student.name.casefold(),
        SortKey.LOGIN: lambda row: row.student.login,
        SortKey.NUMBER: lambda row: row.student.student_number or "",
        SortKey.SECTION: lambda row: row.student.section or "",
        SortKey.TOTAL: lambda row: row.total,
    }
    if sort not in keys:
        choices = listing([*keys, *(column.slug for column in columns)], at_most=20)
        raise InvalidInput("sort", f"there is nothing called {one_line(sort, 60)!r}.", f"Take {choices}.")
    return keys[sort]


def _points(cell: Standing) -> Fraction:
    """What is not graded counts less than nothing earned."""
    return Fraction(-1) if cell.points is None else cell.points
