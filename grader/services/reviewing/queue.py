"""The review queue of a course: which submissions wait for a look, in which order, and what comes next.

A page of the queue begins after a submission, not at a number: what others mark as reviewed meanwhile moves
nothing past the reader unseen. The number of queries does not depend on the number of submissions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import STATES_FOR_STAFF, AttemptState
from grader.domain.errors import InvalidInput
from grader.domain.verdicts import Verdict
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.counting import Scope, WorkOf, counting_query, graded_works
from grader.services.reviewing.blind import Blind, require_blindness
from grader.services.reviewing.filters import Order, QueueFilter, Reviewed
from grader.services.reviewing.listing import Listed, load_listed
from grader.services.reviewing.requests import open_requests

PAGE = 50
MOST_ON_A_PAGE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """One submission in the queue. `student` is a pseudonym, and `login` and `section` None, where blind.

    `points` are those of the attempt that counts as adjusted by staff, before lateness; None: not graded.
    """

    submission_id: UUID
    assignment: str
    assignment_title: str
    student: str
    login: str | None
    section: str | None
    number: int
    received_at: datetime
    state: AttemptState
    points: Fraction | None
    max_points: Fraction | None
    adjusted_by: Fraction
    flags: int
    comments: int
    requested_at: datetime | None
    reviewed_at: datetime | None
    reviewed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the filters can be set to in this course."""

    assignments: tuple[tuple[str, str], ...]
    sections: tuple[str, ...]
    criteria: tuple[str, ...]
    codes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuePage:
    """A part of the queue; `found` counts all that fits the filter, `waiting` what of it is unreviewed.

    `after` begins the next page; None on the last.
    """

    seat: Seat
    items: tuple[QueueItem, ...]
    found: int
    waiting: int
    after: UUID | None
    choices: Choices


def review_queue(
    database: Database,
    *,
    actor: Actor,
    course: str,
    wanted: QueueFilter,
    order: Order = Order.OLDEST,
    blind: Blind | None = None,
    after: UUID | None = None,
    limit: int = PAGE,
) -> QueuePage:
    """The part of a course's queue that begins after a submission; blind reading is always shuffled."""
    with database.reading() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        require_blindness(seat, blind)
        _require_no_section(seat, wanted)
        scope = _scope(session, seat, wanted, now=now)
        listed = load_listed(session, scope)
        works = {item.work.submission_id: item for item in graded_works(session, scope)}
        asked = open_requests(session, scope)
        found = _Filter(wanted=wanted, asked=asked, hits=_hits(session, scope, wanted)).apply(listed, works)
        rank = _ranking(Order.SHUFFLED if blind else order, blind=blind, works=works, asked=asked)
        ranked = sorted(found, key=rank)
        start = _start(ranked, listed, after, rank)
        limit = max(1, min(limit, MOST_ON_A_PAGE))
        shown = ranked[start : start + limit]
        comments = _comment_counts(session, [row.submission_id for row in shown])
        return QueuePage(
            seat=seat,
            items=tuple(
                _item(row, works[row.submission_id], asked=asked, comments=comments, blind=blind)
                for row in shown
            ),
            found=len(found),
            waiting=sum(row.reviewed_at is None for row in found),
            after=shown[-1].submission_id if shown and start + limit < len(ranked) else None,
            choices=_choices(session, seat, scope, listed, blind=blind),
        )


def next_in_queue(
    database: Database,
    *,
    actor: Actor,
    course: str,
    wanted: QueueFilter,
    after: UUID,
    order: Order = Order.OLDEST,
    blind: Blind | None = None,
) -> UUID | None:
    """The submission that comes after one in the queue, also when that one no longer fits the filter."""
    page = review_queue(
        database,
        actor=actor,
        course=course,
        wanted=wanted,
        order=order,
        blind=blind,
        after=after,
        limit=1,
    )
    return page.items[0].submission_id if page.items else None


def _require_no_section(seat: Seat, wanted: QueueFilter) -> None:
    """Sections are as good as names where one of them is small."""
    if seat.names_hidden and wanted.section:
        raise InvalidInput("section", "sections are hidden here, as names are.", "Leave it out.")


def _scope(session: Session, seat: Seat, wanted: QueueFilter, *, now: datetime) -> Scope:
    if not wanted.assignment:
        return Scope(course_id=seat.course_id)
    return Scope(assignment_id=assignment_in(session, seat, slug=wanted.assignment, now=now).id)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Filter:
    """What fits; `hits` are the attempts with a check that is asked for, None where none is."""

    wanted: QueueFilter
    asked: Mapping[UUID, datetime]
    hits: frozenset[UUID] | None

    def apply(self, listed: Iterable[Listed], works: Mapping[UUID, WorkOf]) -> list[Listed]:
        return [row for row in listed if self._fits(row, works[row.submission_id].attempt_id)]

    def _fits(self, row: Listed, counting: UUID | None) -> bool:
        wanted = self.wanted
        return (
            (wanted.every or row.newest)
            and (not wanted.section or row.section == wanted.section)
            and (wanted.reviewed is None or (row.reviewed_at is None) is (wanted.reviewed is Reviewed.NO))
            and (not wanted.requested or row.submission_id in self.asked)
            and (not wanted.flagged or row.flags > 0)
            and (not wanted.needs_staff or row.state in STATES_FOR_STAFF)
            and (self.hits is None or counting in self.hits)
        )


def _hits(session: Session, scope: Scope, wanted: QueueFilter) -> frozenset[UUID] | None:
    if not wanted.about_checks:
        return None
    counting = counting_query(scope)
    check = models.CheckResult
    query = select(check.attempt_id).join(counting, counting.c.attempt_id == check.attempt_id).distinct()
    if wanted.verdict is None:
        query = query.where(check.verdict != Verdict.PASSED)
    else:
        query = query.where(check.verdict == wanted.verdict)
    if wanted.criterion:
        query = query.where(check.check_id.startswith(f"{wanted.criterion}.", autoescape=True))
    if wanted.family is not None:
        query = query.where(check.check_id.contains(f".{wanted.family.value}.", autoescape=True))
    if wanted.code:
        query = query.where(check.code == wanted.code)
    return frozenset(session.scalars(query))


Rank = tuple[bool, float, str, str]


def _ranking(
    order: Order, *, blind: Blind | None, works: Mapping[UUID, WorkOf], asked: Mapping[UUID, datetime]
) -> Callable[[Listed], Rank]:
    """What submissions are sorted by. The id comes last, so that no two are equal."""

    def rank(row: Listed) -> Rank:
        own = row.submission_id.hex
        received = row.received_at.timestamp()
        match order:
            case Order.OLDEST:
                return (False, received, "", own)
            case Order.NEWEST:
                return (False, -received, "", own)
            case Order.NAME:
                return (False, 0.0, f"{row.name.casefold()}\x00{row.login}", own)
            case Order.FEWEST_POINTS:
                points = works[row.submission_id].work.points
                return (points is None, float(points or 0), "", own)
            case Order.REQUESTS:
                since = asked.get(row.submission_id)
                return (since is None, received if since is None else since.timestamp(), "", own)
            case Order.SHUFFLED:
                return (False, 0.0, blind.order(row.submission_id) if blind else own, own)

    return rank


def _start(
    ranked: list[Listed], listed: Iterable[Listed], after: UUID | None, rank: Callable[[Listed], Rank]
) -> int:
    """Where a page begins; a submission that is not in the course (any more) begins at the front."""
    last = next((row for row in listed if row.submission_id == after), None)
    if last is None:
        return 0
    edge = rank(last)
    return sum(rank(row) <= edge for row in ranked)


def _comment_counts(session: Session, submission_ids: list[UUID]) -> Mapping[UUID, int]:
    query = (
        select(models.Comment.submission_id, func.count().label("number"))
        .where(models.Comment.submission_id.in_(submission_ids), models.Comment.deleted_at.is_(None))
        .group_by(models.Comment.submission_id)
    )
    return {row.submission_id: row.number for row in session.execute(query)}


def _item(
    row: Listed,
    found: WorkOf,
    *,
    asked: Mapping[UUID, datetime],
    comments: Mapping[UUID, int],
    blind: Blind | None,
) -> QueueItem:
    return QueueItem(
        submission_id=row.submission_id,
        assignment=row.assignment,
        assignment_title=row.assignment_title,
        student=blind.pseudonym(row.user_id) if blind else row.name,
        login=None if blind else row.login,
        section=None if blind else row.section,
        number=row.number,
        received_at=row.received_at,
        state=row.state,
        points=found.work.points,
        max_points=found.work.max_score,
        adjusted_by=found.work.adjusted_by,
        flags=row.flags,
        comments=comments.get(row.submission_id, 0),
        requested_at=asked.get(row.submission_id),
        reviewed_at=row.reviewed_at,
        reviewed_by=row.reviewed_by,
    )


def _choices(
    session: Session, seat: Seat, scope: Scope, listed: Iterable[Listed], *, blind: Blind | None
) -> Choices:
    assignments = session.execute(
        select(models.Assignment.slug, models.Assignment.title)
        .where(models.Assignment.course_id == seat.course_id)
        .order_by(models.Assignment.title, models.Assignment.slug)
    )
    counting = counting_query(scope)
    checks = session.execute(
        select(models.CheckResult.check_id, models.CheckResult.code)
        .join(counting, counting.c.attempt_id == models.CheckResult.attempt_id)
        .distinct()
    ).all()
    return Choices(
        assignments=tuple((row.slug, row.title) for row in assignments),
        sections=() if blind else tuple(sorted({row.section for row in listed if row.section})),
        criteria=tuple(sorted({row.check_id.rpartition(".")[0] for row in checks})),
        codes=tuple(sorted({row.code for row in checks if row.code})),
    )
