"""A course's members, one by one: who they are, changing what the roster says of one, removing one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, and_, delete, func, select
from sqlalchemy.orm import Session

from grader.content.rosters import LONGEST_CELL, MOST_EXTRA_DAYS
from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict, InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.domain.text import one_line
from grader.services.access import Actor, Seat, seat_in
from grader.services.accounts.invitations import end_links
from grader.services.auditing import Action, Subject, record
from grader.services.editing import change


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A member as the roster shows them. `has_account`: they have a way to log in already.

    `version` is what a change of them has to name; 0 for who is not a member yet.
    """

    user_id: UUID
    login: str
    name: str
    email: str | None
    role: Role
    student_number: str | None
    section: str | None
    extra_days: int
    has_account: bool
    version: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What the roster is to say of a member."""

    role: Role
    student_number: str | None = None
    section: str | None = None
    extra_days: int = 0

    def checked(self) -> Entry:
        """The same with its texts on one line each; InvalidInput where days are out of range."""
        if not 0 <= self.extra_days <= MOST_EXTRA_DAYS:
            raise InvalidInput("extra days", f"{self.extra_days} is not between 0 and {MOST_EXTRA_DAYS}.")
        return replace(self, student_number=_cell(self.student_number), section=_cell(self.section))


def members(database: Database, *, actor: Actor, course: str) -> tuple[Member, ...]:
    """A course's members, staff first, then by name; for staff who may know them."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff().require_names()
        return members_of(session, seat.course_id)


def change_member(
    database: Database,
    *,
    actor: Actor,
    course: str,
    login: str,
    seen: int,
    wanted: Entry,
) -> Member:
    """Set what the roster says of a member; EditConflict where somebody else did meanwhile."""
    entry = wanted.checked()
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        take_the_roster(session, seat)
        member = member_of(session, seat, login)
        if member.user_id == actor.user_id and entry.role is not member.role:
            raise NotAllowed("you cannot change your own role. Ask another instructor.")
        _require_free(session, seat, member.user_id, entry.student_number)
        change(
            session,
            models.Membership,
            _membership(seat, member.user_id),
            what=f"What the roster says of {member.login}",
            seen=seen,
            values={"role": entry.role},
        )
        write_entry(session, seat.course_id, member.user_id, entry)
        record(
            session,
            Action.MEMBER_CHANGED,
            subject=Subject.COURSE,
            subject_id=seat.course_id,
            at=now,
            actor_id=actor.user_id,
            data={"user": str(member.user_id), "role": entry.role.value, "extra_days": entry.extra_days},
        )
        session.flush()
        return member_of(session, seat, login)


def remove_member(database: Database, *, actor: Actor, course: str, login: str) -> None:
    """Take somebody out of a course. What they handed in stays, and is theirs again if they come back."""
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        member = member_of(session, seat, login)
        if member.user_id == actor.user_id:
            raise NotAllowed("you cannot remove yourself. Ask another instructor.")
        drop_member(session, seat, member.user_id, actor=actor, now=now)


def take_the_roster(session: Session, seat: Seat) -> None:
    """Wait for whoever else changes the course's roster; then see it as they have left it."""
    session.get_one(models.Course, seat.course_id, with_for_update={"key_share": True})


def drop_member(session: Session, seat: Seat, user_id: UUID, *, actor: Actor, now: datetime) -> None:
    """Delete a membership with its roster entry, in the caller's transaction.

    Letters that were sent to them end: else whoever has not used theirs yet would come back by it.
    """
    for table in (models.RosterEntry, models.Membership):
        session.execute(delete(table).where(table.course_id == seat.course_id, table.user_id == user_id))
    end_links(session, course_id=seat.course_id, user_id=user_id, now=now)
    record(
        session,
        Action.MEMBER_REMOVED,
        subject=Subject.COURSE,
        subject_id=seat.course_id,
        at=now,
        actor_id=actor.user_id,
        data={"user": str(user_id)},
    )


def write_entry(session: Session, course_id: UUID, user_id: UUID, wanted: Entry) -> None:
    """Set a member's roster entry, in the caller's transaction; the role is the membership's."""
    key = {"course_id": course_id, "user_id": user_id}
    insert_if_absent(session, models.RosterEntry, [{**key, "extra_days": 0}])
    entry = session.get_one(models.RosterEntry, (course_id, user_id))
    entry.student_number, entry.section = wanted.student_number, wanted.section
    entry.extra_days = wanted.extra_days


def members_of(session: Session, course_id: UUID) -> tuple[Member, ...]:
    """A course's members, staff first, then by name."""
    entry = models.RosterEntry
    rows = session.execute(
        select(
            models.User.id.label("user_id"),
            models.User.login,
            models.User.name,
            models.User.email,
            models.Membership.role,
            models.Membership.version,
            entry.student_number,
            entry.section,
            func.coalesce(entry.extra_days, 0).label("extra_days"),
            models.Account.user_id.is_not(None).label("has_account"),
        )
        .join(models.Membership, models.Membership.user_id == models.User.id)
        .outerjoin(entry, and_(entry.user_id == models.User.id, entry.course_id == course_id))
        .outerjoin(models.Account, models.Account.user_id == models.User.id)
        .where(models.Membership.course_id == course_id)
    )
    found = [Member(**{**row, "has_account": bool(row["has_account"])}) for row in rows.mappings()]
    ranks = (Role.INSTRUCTOR, Role.TA, Role.STUDENT)
    return tuple(sorted(found, key=lambda item: (ranks.index(item.role), item.name.casefold(), item.login)))


def member_of(session: Session, seat: Seat, login: str) -> Member:
    """One member of the seat's course; NotFound if there is none of that login."""
    for member in members_of(session, seat.course_id):
        if member.login == login:
            return member
    raise NotFound("member", one_line(login, 80), "The roster lists the course's members.")


def _membership(seat: Seat, user_id: UUID) -> ColumnElement[bool]:
    return and_(models.Membership.course_id == seat.course_id, models.Membership.user_id == user_id)


def _require_free(session: Session, seat: Seat, user_id: UUID, number: str | None) -> None:
    if number is None:
        return
    holder = session.scalar(
        select(models.User.login)
        .join(models.RosterEntry, models.RosterEntry.user_id == models.User.id)
        .where(
            models.RosterEntry.course_id == seat.course_id,
            models.RosterEntry.student_number == number,
            models.RosterEntry.user_id != user_id,
        )
    )
    if holder is not None:
        raise Conflict(f"the student number {number} is {holder}'s. Correct theirs first.")


def _cell(text: str | None) -> str | None:
    return one_line(text, LONGEST_CELL) or None if text is not None else None
