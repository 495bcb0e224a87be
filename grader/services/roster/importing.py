"""Importing a roster: shown first, then applied exactly as shown.

The preview is named by a fingerprint over the file and the course's members. Applying computes it again, in
its own transaction, and refuses where it differs: nobody applies what they have not seen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from grader.content.rosters import read_roster
from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict
from grader.services.access import Actor, Seat, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.roster.changes import ChangeKind, RosterChange
from grader.services.roster.members import Entry, Member, drop_member, take_the_roster, write_entry
from grader.services.roster.previewing import preview_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """How many people an import added, changed and removed."""

    added: int
    changed: int
    removed: int


def import_roster(
    database: Database,
    *,
    actor: Actor,
    course: str,
    data: bytes,
    fingerprint: str,
    remove_missing: bool = False,
) -> Imported:
    """Do what the preview of that fingerprint said; Conflict where it would no longer be the same."""
    with database.reading() as session:
        # First: nobody else's file is looked into.
        seat_in(session, course=course, user_id=actor.user_id).require_instructor()
    roster = read_roster(data)
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        # Two imports at once: the second waits here, and then sees another state than its preview did.
        take_the_roster(session, seat)
        plan = preview_in(session, seat, roster, data)
        if plan.fingerprint != fingerprint:
            raise Conflict("the course's members have changed since this preview. Look at the new one first.")
        touched = [change for change in plan.changes if change.kind is not ChangeKind.UNCHANGED]
        _apply(session, seat, touched, now=now)
        gone = plan.missing if remove_missing else ()
        for member in gone:
            drop_member(session, seat, member.user_id, actor=actor, now=now)
        done = Imported(
            added=len(plan.of_kind(ChangeKind.NEW)),
            changed=len(plan.of_kind(ChangeKind.CHANGED)),
            removed=len(gone),
        )
        record(
            session,
            Action.ROSTER_IMPORTED,
            subject=Subject.COURSE,
            subject_id=seat.course_id,
            at=now,
            actor_id=actor.user_id,
            data={
                "sha256": hashlib.sha256(data).hexdigest(),
                "added": done.added,
                "changed": done.changed,
                "removed": done.removed,
            },
        )
        return done


def _apply(session: Session, seat: Seat, changes: Iterable[RosterChange], *, now: datetime) -> None:
    changes = tuple(changes)
    insert_if_absent(session, models.User, [_user_row(change.after, now) for change in changes])
    logins = [change.after.login for change in changes]
    ids = {
        row.login: row.id
        for row in session.execute(
            select(models.User.id, models.User.login).where(models.User.login.in_(logins))
        )
    }
    # Numbers may be exchanged between two people: none is held while the others are set.
    session.execute(
        update(models.RosterEntry)
        .where(models.RosterEntry.course_id == seat.course_id, models.RosterEntry.user_id.in_(ids.values()))
        .values(student_number=None)
    )
    for change in changes:
        _write(session, seat, change.after, ids[change.after.login], now=now)


def _user_row(member: Member, now: datetime) -> dict[str, object]:
    return {
        "id": member.user_id,
        "login": member.login,
        "name": member.name,
        "email": member.email,
        "created_at": now,
    }


def _write(session: Session, seat: Seat, member: Member, user_id: UUID, *, now: datetime) -> None:
    key = {"course_id": seat.course_id, "user_id": user_id}
    row = {**key, "role": member.role, "created_at": now, "version": 1}
    if not insert_if_absent(session, models.Membership, [row]):
        membership = session.get_one(models.Membership, (seat.course_id, user_id))
        membership.role = member.role
        membership.version += 1
    if not member.has_account:
        user = session.get_one(models.User, user_id)
        user.name, user.email = member.name, member.email
    entry = Entry(
        role=member.role,
        student_number=member.student_number,
        section=member.section,
        extra_days=member.extra_days,
    )
    write_entry(session, seat.course_id, user_id, entry)
