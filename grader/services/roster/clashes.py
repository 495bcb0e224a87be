"""Lines of a roster that would give a person what another one keeps: a student number, or an address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.content.rosters import RosterProblem
from grader.db import models
from grader.services.roster.changes import RosterChange
from grader.services.roster.members import Member

_Addresses = Sequence[tuple[UUID, str]]


def without_clashes(
    session: Session, changes: Sequence[RosterChange], members: Iterable[Member]
) -> tuple[list[RosterChange], list[RosterProblem]]:
    """The changes that can be made together, and what is wrong with the others.

    Whoever is left out keeps their own number and address, which may be in the way of the next.
    """
    members, addresses = tuple(members), _addresses(session, changes)
    kept, problems = list(changes), list[RosterProblem]()
    while True:
        clashing = _clashing_numbers(kept, members) or _clashing_addresses(kept, addresses)
        if not clashing:
            return kept, problems
        problems.extend(RosterProblem(line=line, says=says) for line, says in clashing.items())
        kept = [change for change in kept if change.line not in clashing]


def _clashing_numbers(changes: Sequence[RosterChange], members: Sequence[Member]) -> dict[int, str]:
    """What is wrong, by line, with those that give a member a number which another one keeps."""
    changing = {change.after.user_id for change in changes}
    held = {m.student_number: m for m in members if m.student_number and m.user_id not in changing}
    return {
        change.line: f"the student number {number} is {held[number].login}'s."
        for change in changes
        if (number := change.after.student_number) in held and number is not None
    }


def _clashing_addresses(changes: Sequence[RosterChange], addresses: _Addresses) -> dict[int, str]:
    """What is wrong, by line, with those that give an address by which somebody else is known.

    Two people with one address could neither log in by it nor come by single sign-on.
    """
    changing = {change.after.user_id for change in changes if change.gives_address}
    held = {address for user_id, address in addresses if user_id not in changing}
    clashing = {}
    for change in changes:
        if not change.gives_address or change.after.email is None:
            continue
        address = change.after.email.lower()
        if address in held:
            clashing[change.line] = (
                f"{change.after.email} is somebody else's address. Name them by their login, or correct it."
            )
        held.add(address)
    return clashing


def _addresses(session: Session, changes: Sequence[RosterChange]) -> _Addresses:
    """Everybody, of whatever course, who has one of the addresses that are given; in lower case."""
    wanted = {change.after.email.lower() for change in changes if change.gives_address and change.after.email}
    lower = func.lower(models.User.email)
    rows = session.execute(select(models.User.id, lower.label("email")).where(lower.in_(wanted)))
    return tuple((row.id, row.email) for row in rows)
