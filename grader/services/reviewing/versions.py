"""The version of a submission's review: it grows with every change, so that nobody overwrites unseen work."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.errors import EditConflict

UNTOUCHED = 0
"""The version of a review that nobody has begun."""


def lock(session: Session, *submission_ids: UUID) -> None:
    """Let this transaction alone change the reviews of these submissions until it ends.

    The submissions are what is locked, since a review's row may not be there yet; in one order everywhere, so
    that two transactions never wait for each other.
    """
    session.execute(
        select(models.Submission.id)
        .where(models.Submission.id.in_(submission_ids))
        .order_by(models.Submission.id)
        .with_for_update(key_share=True)
    )


def version_of(session: Session, submission_id: UUID) -> int:
    """The review's version as it stands."""
    found = session.scalar(select(models.Review.version).where(models.Review.submission_id == submission_id))
    return UNTOUCHED if found is None else found


def advance(session: Session, submission_id: UUID, *, seen: int | None = None) -> models.Review:
    """The review with its version moved on by one; EditConflict unless it is the one that was seen.

    Whoever only adds something has no need to say what they saw. The caller holds the `lock`.
    """
    review = session.get(models.Review, submission_id, populate_existing=True)
    current = UNTOUCHED if review is None else review.version
    if seen is not None and seen != current:
        raise EditConflict("The review of this submission", seen=seen, current=current)
    if review is None:
        review = models.Review(submission_id=submission_id, version=current)
        session.add(review)
    review.version = current + 1
    session.flush()
    return review
