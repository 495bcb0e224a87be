"""The seat from which somebody reaches what hangs on a submission: a comment, a request, an adjustment."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.orm import Session

from grader.domain.errors import NotFound
from grader.services.access import Actor, SubmissionSeat, submission_under_review


def seat_behind(
    session: Session, kind: str, thing_id: UUID, *, submission_id: UUID | None, actor: Actor
) -> SubmissionSeat:
    """The seat at the thing's submission; one out of reach is answered like one that is not there."""
    missing = NotFound(kind, str(thing_id))
    if submission_id is None:
        raise missing
    try:
        return submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
    except NotFound:
        raise missing from None


def staff_behind(
    session: Session, kind: str, thing_id: UUID, *, submission_id: UUID | None, actor: Actor
) -> SubmissionSeat:
    """As `seat_behind`, for course staff alone."""
    found = seat_behind(session, kind, thing_id, submission_id=submission_id, actor=actor)
    if not found.seat.staff:
        raise NotFound(kind, str(thing_id))
    return found
