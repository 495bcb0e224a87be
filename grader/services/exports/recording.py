"""What leaves a course is recorded: who took out what."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from grader.services.access import Actor, Seat
from grader.services.auditing import Action, Subject, record


def export_made(session: Session, seat: Seat, *, actor: Actor, kind: str, at: datetime) -> None:
    """Write to the course's audit that somebody takes it out in that form."""
    record(
        session,
        Action.EXPORT_MADE,
        subject=Subject.COURSE,
        subject_id=seat.course_id,
        at=at,
        actor_id=actor.user_id,
        data={"kind": kind},
    )
