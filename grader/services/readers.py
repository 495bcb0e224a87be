"""As what somebody reads the report of a submission: its author or staff, before or after the due date."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.domain.lateness import Deadline, deadline_for, past_due
from grader.domain.scheduling import Schedule
from grader.domain.view import STAFF, Audience, Reader
from grader.services.access import Seat, SubmissionSeat
from grader.services.schedules import allowances_in, schedule_of


def reader_of(session: Session, found: SubmissionSeat, *, now: datetime) -> Reader:
    """Staff see everything; an author, what is open by their own deadline, extensions included."""
    if found.seat.staff:
        return STAFF
    schedule = schedule_of(session, found.assignment.id)
    user_id = found.submission.user_id
    allowances = allowances_in(session, course_id=found.seat.course_id, user_id=user_id)
    allowance = allowances.of(assignment_id=found.assignment.id, user_id=user_id)
    deadline = deadline_for(schedule, allowance, found.seat.zone)
    return reader_for(found.seat, schedule=schedule, deadline=deadline, now=now)


def reader_for(seat: Seat, *, schedule: Schedule, deadline: Deadline, now: datetime) -> Reader:
    """Who reads from that seat, and when: before or after their own deadline, and the release of grades."""
    if seat.staff:
        return STAFF
    return Reader(
        audience=Audience.STUDENT, released=schedule.released(now), past_due=past_due(deadline, now)
    )
