"""As what somebody reads the report of a submission: its author or staff, before or after the due date."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.domain.lateness import deadline_for
from grader.domain.view import STAFF, Audience, Reader
from grader.services.access import SubmissionSeat
from grader.services.schedules import allowances_in, schedule_of


def reader_of(session: Session, found: SubmissionSeat, *, now: datetime) -> Reader:
    """Staff see everything; what is past due for an author goes by their own deadline, extensions included."""
    if found.seat.staff:
        return STAFF
    schedule = schedule_of(session, found.assignment.id)
    user_id = found.submission.user_id
    allowances = allowances_in(session, course_id=found.seat.course_id, user_id=user_id)
    allowance = allowances.of(assignment_id=found.assignment.id, user_id=user_id)
    due_at = deadline_for(schedule, allowance, found.seat.zone).due_at
    return Reader(
        audience=Audience.STUDENT,
        released=schedule.released(now),
        past_due=due_at is not None and now > due_at,
    )
