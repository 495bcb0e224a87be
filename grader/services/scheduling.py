"""Setting an assignment's dates and rules, and releasing its grades."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from uuid import UUID
from zoneinfo import ZoneInfo

from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.db.statements import insert_if_absent
from grader.domain.errors import Conflict, InvalidInput
from grader.domain.scheduling import LateRule, Schedule
from grader.domain.zones import require_tellable
from grader.services.access import Actor, Seat, assignment_in, seat_in
from grader.services.auditing import Action, Subject, record
from grader.services.editing import change
from grader.services.schedules import to_schedule

MOST_SUBMISSIONS = 10_000
LONGEST_COOLDOWN_S = 7 * 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleView:
    """An assignment's schedule as it stands; `version` is what a change of it has to name."""

    assignment_id: UUID
    course: str
    slug: str
    title: str
    zone: ZoneInfo
    schedule: Schedule
    version: int


def schedule_for(database: Database, *, actor: Actor, course: str, slug: str) -> ScheduleView:
    """The schedule of an assignment, for staff."""
    with database.reading() as session:
        seat = seat_in(session, course=course, user_id=actor.user_id).require_staff()
        row = assignment_in(session, seat, slug=slug, now=database.now(session))
        return _view(session, seat, row)


def change_schedule(
    database: Database, *, actor: Actor, course: str, slug: str, seen: int, schedule: Schedule
) -> ScheduleView:
    """Set dates and rules; EditConflict where somebody else did meanwhile.

    Whether grades are released is not part of it: see `release_grades`.
    """
    _validate(schedule)
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        row = assignment_in(session, seat, slug=slug, now=now)
        values = {
            "draft": schedule.draft,
            "opens_at": schedule.opens_at,
            "due_at": schedule.due_at,
            "closes_at": schedule.closes_at,
            "late_rule": schedule.late_rule,
            "per_day": schedule.per_day,
            "uses_grace": schedule.uses_grace,
            "submission_limit": schedule.submission_limit,
            "cooldown_s": schedule.cooldown_s,
            "counting": schedule.counting,
        }
        _write(session, row.id, seen=seen, values=values)
        record(
            session,
            Action.SCHEDULE_CHANGED,
            subject=Subject.ASSIGNMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
            data={key: _plain(value) for key, value in values.items()},
        )
        return _view(session, seat, row)


def release_grades(database: Database, *, actor: Actor, course: str, slug: str, seen: int) -> ScheduleView:
    """Let students see what was kept until grades are released."""
    return _set_released(database, actor=actor, course=course, slug=slug, seen=seen, released=True)


def take_grades_back(database: Database, *, actor: Actor, course: str, slug: str, seen: int) -> ScheduleView:
    """Keep it from them again; what they have read meanwhile they have read."""
    return _set_released(database, actor=actor, course=course, slug=slug, seen=seen, released=False)


def _set_released(
    database: Database, *, actor: Actor, course: str, slug: str, seen: int, released: bool
) -> ScheduleView:
    with database.writing() as session:
        now = database.now(session)
        seat = seat_in(session, course=course, user_id=actor.user_id).require_instructor()
        row = assignment_in(session, seat, slug=slug, now=now)
        if (_view(session, seat, row).schedule.released_at is not None) is released:
            raise Conflict(f"the grades of {slug} are {'released already' if released else 'not released'}.")
        _write(session, row.id, seen=seen, values={"released_at": now if released else None})
        record(
            session,
            Action.GRADES_RELEASED if released else Action.GRADES_TAKEN_BACK,
            subject=Subject.ASSIGNMENT,
            subject_id=row.id,
            at=now,
            actor_id=actor.user_id,
        )
        return _view(session, seat, row)


def ensure_schedule(session: Session, assignment_id: UUID, *, draft: bool = False) -> None:
    """Make the row of an assignment that has none: open, without a deadline, unless it is a draft."""
    plain = Schedule(draft=draft)
    row = {
        "assignment_id": assignment_id,
        "draft": plain.draft,
        "late_rule": plain.late_rule,
        "per_day": plain.per_day,
        "uses_grace": plain.uses_grace,
        "cooldown_s": plain.cooldown_s,
        "counting": plain.counting,
        "version": 1,
    }
    insert_if_absent(session, models.AssignmentSchedule, [row])


def _write(session: Session, assignment_id: UUID, *, seen: int, values: Mapping[str, object]) -> None:
    ensure_schedule(session, assignment_id)
    change(
        session,
        models.AssignmentSchedule,
        models.AssignmentSchedule.assignment_id == assignment_id,
        what="The assignment's dates and rules",
        seen=seen,
        values=values,
    )
    session.expire_all()


def _view(session: Session, seat: Seat, row: models.Assignment) -> ScheduleView:
    found = session.get(models.AssignmentSchedule, row.id)
    return ScheduleView(
        assignment_id=row.id,
        course=seat.course_slug,
        slug=row.slug,
        title=row.title,
        zone=seat.zone,
        schedule=Schedule() if found is None else to_schedule(found),
        version=1 if found is None else found.version,
    )


def _validate(schedule: Schedule) -> None:
    due_at, closes_at, opens_at = schedule.due_at, schedule.closes_at, schedule.opens_at
    for field, moment in (("opens", opens_at), ("due", due_at), ("closes", closes_at)):
        require_tellable(moment, field=field)
    if due_at and closes_at and closes_at < due_at:
        raise InvalidInput("closes", "it would close before it is due.", "Give a later time, or none.")
    end = due_at or closes_at
    if opens_at and end and opens_at >= end:
        raise InvalidInput("opens", "it would open after its end.", "Give an earlier time.")
    if not 0 <= schedule.per_day <= 1:
        raise InvalidInput("late penalty", "it must be between 0 and 100 % of the points per day.")
    if schedule.late_rule is LateRule.PER_DAY and schedule.per_day == 0:
        raise InvalidInput("late penalty", "a day late costs nothing.", "Give a share, or choose no penalty.")
    if schedule.late_rule is LateRule.NOTHING and schedule.per_day:
        raise InvalidInput(
            "late penalty",
            "a share is given, but the rule says that late work loses no points.",
            "Choose the rule that each day costs a share, or leave the share empty.",
        )
    if schedule.submission_limit is not None and not 1 <= schedule.submission_limit <= MOST_SUBMISSIONS:
        raise InvalidInput("submission limit", f"it must be between 1 and {MOST_SUBMISSIONS:,}, or empty.")
    if not 0 <= schedule.cooldown_s <= LONGEST_COOLDOWN_S:
        raise InvalidInput("cool-down", "it must be between 0 seconds and 7 days.")


def _plain(value: object) -> str | int | bool | None:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Fraction):
        return str(value)
    return value if isinstance(value, str | int | bool) or value is None else str(value)
