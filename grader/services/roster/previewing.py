"""What importing a roster would do, line by line; nothing is written here."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.content.rosters import Field, Roster, RosterLine, RosterProblem, read_roster
from grader.db import models
from grader.db.database import Database
from grader.domain.people import Role
from grader.services.access import Actor, Seat, seat_in
from grader.services.roster.changes import ChangeKind, Difference, RosterChange
from grader.services.roster.clashes import without_clashes
from grader.services.roster.members import Member, members_of


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPreview:
    """What an import will do. `missing` are students who are not in the file; they stay, unless asked."""

    fingerprint: str
    changes: tuple[RosterChange, ...]
    missing: tuple[Member, ...]
    problems: tuple[RosterProblem, ...]
    used: Mapping[Field, str]
    ignored: tuple[str, ...]

    def of_kind(self, kind: ChangeKind) -> tuple[RosterChange, ...]:
        return tuple(change for change in self.changes if change.kind is kind)


def preview_roster(database: Database, *, actor: Actor, course: str, data: bytes) -> RosterPreview:
    """What importing this file would do; nothing is written."""
    with database.reading() as session:
        # First: nobody else's file is looked into.
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        return preview_in(session, seat, read_roster(data), data)


@dataclass(slots=True, kw_only=True)
class _Known:
    """The people a line may mean: members of the course, and others the grader knows by login."""

    members: tuple[Member, ...]
    others: Mapping[str, Member]
    settled: Collection[UUID]
    """Whose name and address are not this course's to change."""
    by_login: dict[str, Member] = field(init=False)
    by_number: dict[str, Member] = field(init=False)
    by_email: dict[str, Member] = field(init=False)

    def __post_init__(self) -> None:
        self.by_login = {member.login.casefold(): member for member in self.members}
        self.by_number = {member.student_number: member for member in self.members if member.student_number}
        self.by_email = {member.email.casefold(): member for member in self.members if member.email}

    def member(self, line: RosterLine) -> Member | None:
        """The member a line means: by login where it has one, else by student number, else by address."""
        if line.login is not None:
            found = self.by_login.get(line.login)
            if found is not None or line.login != (line.email or "").lower():
                return found
        found = self.by_number.get(line.number) if line.number else None
        return found or (self.by_email.get(line.email.casefold()) if line.email else None)


def preview_in(session: Session, seat: Seat, roster: Roster, data: bytes) -> RosterPreview:
    """As `preview_roster`, in the caller's session, for a file already read."""
    members = members_of(session, seat.course_id)
    others = _others(session, roster, members)
    everybody = (*members, *others.values())
    known = _Known(members=members, others=others, settled=_settled(session, seat, everybody))
    changes: list[RosterChange] = []
    problems = list(roster.problems)
    met: dict[UUID, int] = {}
    for line in roster.lines:
        outcome = _change(line, known, seat)
        if isinstance(outcome, str):
            problems.append(RosterProblem(line=line.line, says=outcome))
        elif outcome.after.user_id in met:
            says = f"{outcome.after.login} is on line {met[outcome.after.user_id]} already."
            problems.append(RosterProblem(line=line.line, says=says))
        else:
            met[outcome.after.user_id] = line.line
            changes.append(outcome)
    changes, clashes = without_clashes(session, changes, members)
    # Whoever has a line, even one that cannot be used, is not missing.
    named = {line.login for line in roster.lines} | {change.after.login for change in changes}
    missing = tuple(
        member
        for member in members
        if member.role is Role.STUDENT and member.user_id not in met and member.login not in named
    )
    return RosterPreview(
        fingerprint=_fingerprint(data, members, others.values()),
        changes=tuple(changes),
        missing=missing,
        problems=tuple(sorted([*problems, *clashes], key=lambda problem: problem.line)),
        used=roster.used,
        ignored=roster.ignored,
    )


def _others(session: Session, roster: Roster, members: Iterable[Member]) -> Mapping[str, Member]:
    """People of other courses whom the file names by login; they join as they are."""
    inside = {member.login.casefold() for member in members}
    wanted = {line.login for line in roster.lines if line.login is not None} - inside
    rows = session.execute(
        select(models.User, models.Account.user_id)
        .outerjoin(models.Account, models.Account.user_id == models.User.id)
        .where(models.User.login.in_(wanted))
    )
    return {
        user.login.casefold(): Member(
            user_id=user.id,
            login=user.login,
            name=user.name,
            email=user.email,
            role=Role.STUDENT,
            student_number=None,
            section=None,
            extra_days=0,
            has_account=account is not None,
        )
        for user, account in rows
    }


def _change(line: RosterLine, known: _Known, seat: Seat) -> RosterChange | str:
    """What a line does, or why it cannot."""
    member = known.member(line)
    if member is not None:
        after = _updated(member, line, known)
        if after.role is not member.role and member.user_id == seat.user_id:
            return "it would change your own role, which another instructor has to do."
        differences = tuple(_differences(member, after))
        kind = ChangeKind.CHANGED if differences else ChangeKind.UNCHANGED
        return RosterChange(kind=kind, line=line.line, after=after, differences=differences)
    if line.login is None:
        return "nobody in this course has this address or number, and without a login nobody can be added."
    return RosterChange(kind=ChangeKind.NEW, line=line.line, after=_joining(line, line.login, known))


def _joining(line: RosterLine, login: str, known: _Known) -> Member:
    other = known.others.get(login)
    if other is not None:
        return _updated(other, line, known)
    return Member(
        user_id=uuid4(),
        login=login,
        name=line.name or login,
        email=line.email,
        role=line.role or Role.STUDENT,
        student_number=line.number,
        section=line.section,
        extra_days=line.extra_days or 0,
        has_account=False,
    )


def _settled(session: Session, seat: Seat, people: Iterable[Member]) -> frozenset[UUID]:
    """Those who log in, and those of a course that the importer does not teach, where others vouch for them.

    Single sign-on knows people by their address: whoever could set it for another course's member could
    come in as them.
    """
    taught = select(models.Membership.course_id).where(
        models.Membership.user_id == seat.user_id, models.Membership.role == Role.INSTRUCTOR
    )
    elsewhere = session.scalars(
        select(models.Membership.user_id).where(
            models.Membership.user_id.in_([member.user_id for member in people]),
            models.Membership.course_id.not_in(taught),
        )
    )
    return frozenset(elsewhere) | {member.user_id for member in people if member.has_account}


def _updated(member: Member, line: RosterLine, known: _Known) -> Member:
    """The member as the file says, but for the name and address of who is settled."""
    own = member.user_id in known.settled
    return Member(
        user_id=member.user_id,
        login=member.login,
        name=member.name if own or line.name is None else line.name,
        email=member.email if own or line.email is None else line.email,
        role=line.role or member.role,
        student_number=line.number or member.student_number,
        section=line.section or member.section,
        extra_days=member.extra_days if line.extra_days is None else line.extra_days,
        has_account=member.has_account,
    )


def _differences(before: Member, after: Member) -> Iterator[Difference]:
    pairs = (
        (Field.NAME, before.name, after.name),
        (Field.EMAIL, before.email, after.email),
        (Field.ROLE, before.role.value, after.role.value),
        (Field.NUMBER, before.student_number, after.student_number),
        (Field.SECTION, before.section, after.section),
        (Field.EXTRA_DAYS, str(before.extra_days), str(after.extra_days)),
    )
    for name, old, new in pairs:
        if old != new:
            yield Difference(field=name, old=old or "", new=new or "")


def _fingerprint(data: bytes, members: Iterable[Member], others: Iterable[Member]) -> str:
    state = sorted(
        [m.login, m.name, m.email, m.role.value, m.student_number, m.section, m.extra_days, m.has_account]
        for m in (*members, *others)
    )
    text = json.dumps([hashlib.sha256(data).hexdigest(), state], ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
