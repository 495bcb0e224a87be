"""Covering a student's name in what staff read of one submission.

Where a course hides names, this is done to whatever a service hands to a teaching assistant, asked or not.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from uuid import UUID

from sqlalchemy import and_, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.domain.errors import InvalidInput
from grader.domain.submission import SubmittedFiles
from grader.domain.text import did_you_mean, one_line
from grader.services.access import Seat, SubmissionSeat
from grader.services.reviewing.blind import OPEN, Mask, mask_for
from grader.services.reviewing.places import Place


def mask_of_author(session: Session, found: SubmissionSeat) -> Mask:
    """What covers the submission's author."""
    submission_id = found.submission.id
    return masks_of_authors(session, [submission_id], course_id=found.seat.course_id)[submission_id]


def masks_of_authors(
    session: Session, submission_ids: Collection[UUID], *, course_id: UUID
) -> Mapping[UUID, Mask]:
    """What covers the author of each of these submissions of a course; one query."""
    entry, user = models.RosterEntry, models.User
    rows = session.execute(
        select(models.Submission.id, user.id, user.name, user.login, user.email, entry.student_number)
        .join(user, user.id == models.Submission.user_id)
        .outerjoin(entry, and_(entry.user_id == user.id, entry.course_id == course_id))
        .where(models.Submission.id.in_(submission_ids))
    )
    masks: dict[UUID, Mask] = {}
    found: dict[UUID, Mask] = {}
    for submission_id, user_id, name, login, email, number in rows:
        if user_id not in masks:
            masks[user_id] = mask_for(name=name, login=login, email=email, number=number)
        found[submission_id] = masks[user_id]
    return found


def mask_for_seat(session: Session, found: SubmissionSeat) -> Mask:
    """What has to be covered for whoever has that seat; nothing where they may know names."""
    return mask_of_author(session, found) if found.seat.names_hidden else OPEN


def covers_for(seat: Seat, mask: Mask, *, writer_id: UUID | None) -> Mask:
    """What is covered for a reader in a text of that writer's.

    Nothing in one's own where names are hidden: whoever wrote down the whole class would else read which of
    the names is covered. Who only chose not to see them has theirs covered everywhere.
    """
    return OPEN if seat.names_hidden and writer_id == seat.user_id else mask


def masked_place(place: Place, mask: Mask, names: Mapping[str, str]) -> Place:
    """A place with its file's name covered; `names` are those that the submission's files are shown by."""
    file = place.file
    return place if file is None else replace(place, file=names.get(file, mask.file(file)))


def file_shown_as(name: str, mask: Mask, source: SubmittedFiles) -> str:
    """The name of the file that is shown by that one; InvalidInput, with names as shown, if none is."""
    real = {shown: file for file, shown in mask.names(source).items()}
    if name not in real:
        raise InvalidInput(
            "file",
            f"no file {one_line(name, 80)!r} in this submission.",
            did_you_mean(name, real) or "Take its name from the report.",
        )
    return real[name]
