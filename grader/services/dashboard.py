"""A course at a glance: who hands in when, what they earn, what goes wrong, what is slow."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.standing import GradedWork
from grader.domain.verdicts import SEVERITY, Verdict
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.gradebook import students_of
from grader.services.regrading.planning import versions_of
from grader.services.reviewing.clusters import Cluster, clusters_of
from grader.services.standings import course_work

BANDS = 10
SLOWEST = 10
_RECENT = 2000
"""Attempts among which the slowest are looked for."""

_MOST_CLUSTERS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How many submissions came on one day of the course's calendar."""

    day: date
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """How many students have between `low` and `high` per cent (the last band includes its end)."""

    low: int
    high: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionRate:
    """How many of the submissions that count lose points on a criterion."""

    criterion_id: str
    failed: int
    judged: int

    @property
    def rate(self) -> Fraction:
        return Fraction(self.failed, self.judged) if self.judged else Fraction(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowAttempt:
    """One of the slowest attempts, wall seconds from its start to its end; `login` is None where hidden."""

    submission_id: UUID
    login: str | None
    submission_number: int
    number: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentDashboard:
    """One assignment at a glance. `students` are all of the course; `started` have handed in."""

    seat: Seat
    slug: str
    title: str
    students: int
    started: int
    submissions: int
    ungraded: int
    days: tuple[Day, ...]
    bands: tuple[Band, ...]
    criteria: tuple[CriterionRate, ...]
    clusters: tuple[Cluster, ...]
    slowest: tuple[SlowAttempt, ...]


def assignment_dashboard(database: Database, *, actor: Actor, course: str, slug: str) -> AssignmentDashboard:
    """An assignment's dashboard, for staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        assignment = assignment_in(session, seat, slug=slug, now=database.now(session))
        students = {student.id for student in students_of(session, seat.course_id)}
        work = course_work(session, seat)
        works = [
            item for item in work.works if item.assignment_id == assignment.id and item.user_id in students
        ]
        started = {item.user_id for item in works}
        standing = [work.of(user_id)[assignment.id].work for user_id in started]
        counting = [item for item in standing if item is not None]
        attempts = {item.work.submission_id: item.attempt_id for item in works}
        judged = [attempts[item.submission_id] for item in counting]
        dashboard = AssignmentDashboard(
            seat=seat,
            slug=assignment.slug,
            title=assignment.title,
            students=len(students),
            started=len(started),
            submissions=len(works),
            ungraded=sum(item.earned is None for item in counting),
            days=_days([item.work for item in works], seat),
            bands=_bands(counting),
            criteria=_criteria(session, [found for found in judged if found is not None]),
            clusters=(),
            slowest=_slowest(session, seat, assignment.id),
        )
    found = clusters_of(database, actor=actor, course=course, assignment=slug).clusters
    return replace(dashboard, clusters=found[:_MOST_CLUSTERS])


def _days(works: Iterable[GradedWork], seat: Seat) -> tuple[Day, ...]:
    """Every day from the first submission to the last, also those on which none came."""
    counts = Counter(work.received_at.astimezone(seat.zone).date() for work in works)
    if not counts:
        return ()
    first, last = min(counts), max(counts)
    days = (first + timedelta(days=after) for after in range((last - first).days + 1))
    return tuple(Day(day=day, count=counts[day]) for day in days)


def _bands(counting: Iterable[GradedWork]) -> tuple[Band, ...]:
    counts = [0] * BANDS
    for work in counting:
        if work.points is not None and work.max_score:
            counts[min(BANDS - 1, int(BANDS * work.points / work.max_score))] += 1
    width = 100 // BANDS
    return tuple(Band(low=at * width, high=(at + 1) * width, count=count) for at, count in enumerate(counts))


def _criteria(session: Session, attempt_ids: Sequence[UUID]) -> tuple[CriterionRate, ...]:
    """A criterion fails where one of its checks does; what nobody could judge is left out."""
    rows = session.execute(
        select(models.CheckResult.attempt_id, models.CheckResult.check_id, models.CheckResult.verdict)
        .where(models.CheckResult.attempt_id.in_(attempt_ids), models.CheckResult.earned.is_not(None))
        .order_by(models.CheckResult.position)
    )
    worst: dict[str, dict[UUID, Verdict]] = defaultdict(dict)
    for attempt_id, check_id, verdict in rows:
        found = worst[check_id.rpartition(".")[0]]
        found[attempt_id] = max(found.get(attempt_id, Verdict.PASSED), verdict, key=SEVERITY.index)
    rates = [
        CriterionRate(
            criterion_id=criterion,
            failed=sum(v not in (Verdict.PASSED, Verdict.INCONCLUSIVE) for v in verdicts.values()),
            judged=len(verdicts),
        )
        for criterion, verdicts in worst.items()
    ]
    return tuple(sorted(rates, key=lambda item: (-item.rate, item.criterion_id)))


def _slowest(session: Session, seat: Seat, assignment_id: UUID) -> tuple[SlowAttempt, ...]:
    versions = [version.id for version in versions_of(session, assignment_id)]
    rows = session.execute(
        select(
            models.Attempt.submission_id,
            models.User.login,
            models.Submission.number.label("submission_number"),
            models.Attempt.number,
            models.Attempt.started_at,
            models.Attempt.finished_at,
        )
        .join(models.Submission, models.Submission.id == models.Attempt.submission_id)
        .join(models.User, models.User.id == models.Submission.user_id)
        .where(models.Attempt.version_id.in_(versions), models.Attempt.state == AttemptState.GRADED)
        .order_by(models.Attempt.finished_at.desc())
        .limit(_RECENT)
    )
    timed = [
        SlowAttempt(
            submission_id=row.submission_id,
            login=None if seat.names_hidden else row.login,
            submission_number=row.submission_number,
            number=row.number,
            seconds=(row.finished_at - row.started_at).total_seconds(),
        )
        for row in rows
        if row.started_at is not None and row.finished_at is not None
    ]
    return tuple(sorted(timed, key=lambda item: -item.seconds)[:SLOWEST])
