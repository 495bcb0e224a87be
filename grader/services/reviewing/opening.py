"""Everything that staff look at when they review one submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session, defer

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState
from grader.domain.errors import NotFound
from grader.domain.reviewing import PlanState
from grader.domain.stored import load
from grader.domain.submission import SubmittedFiles
from grader.domain.view import STAFF, ReportView, view_of
from grader.services import reading
from grader.services.access import Actor, Seat, submission_under_review
from grader.services.counting import Scope, graded_works
from grader.services.reviewing.adjusting import AdjustmentView, history
from grader.services.reviewing.blind import OPEN, Blind, Mask, require_blindness
from grader.services.reviewing.commenting import CommentView, comments_on
from grader.services.reviewing.masking import (
    covers_for,
    file_shown_as,
    mask_for_seat,
    mask_of_author,
    masked_place,
)
from grader.services.reviewing.requests import RequestView, masked_request, requests_of
from grader.services.reviewing.versions import UNTOUCHED


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLine:
    """One attempt of a submission; `plan` is the state of the regrade plan that made it, if one did."""

    id: UUID
    number: int
    version: int
    state: AttemptState
    score: Fraction | None
    max_score: Fraction | None
    finished_at: datetime | None
    failure_reason: str | None
    plan: PlanState | None
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewing:
    """The state of a review: its version, and who has marked it as done."""

    version: int
    reviewed_at: datetime | None
    reviewed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A submission under review. Where it is read blind, nothing in it names its author.

    `view` is the report of the attempt numbered `shown`; None where nothing was judged. The files keep their
    order: `real_file` tells by its place what a file is called whose name is covered.
    """

    seat: Seat
    submission_id: UUID
    assignment: str
    assignment_title: str
    student: str
    login: str | None
    number: int
    received_at: datetime
    attempts: tuple[AttemptLine, ...]
    shown: int | None
    view: ReportView | None
    source: SubmittedFiles
    earned: Fraction | None
    adjusted_by: Fraction
    points: Fraction | None
    max_points: Fraction | None
    review: Reviewing
    comments: tuple[CommentView, ...]
    adjustments: tuple[AdjustmentView, ...]
    requests: tuple[RequestView, ...]
    blind: bool


def open_submission(
    database: Database,
    *,
    actor: Actor,
    submission_id: UUID,
    attempt: int | None = None,
    blind: Blind | None = None,
) -> Dossier:
    """A submission for staff, with the report of one attempt: by default the one that counts."""
    with database.reading() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        if not found.seat.staff:
            raise NotFound("submission", str(submission_id))
        require_blindness(found.seat, blind)
        work = graded_works(session, Scope(submission_ids=[submission_id]))[0]
        attempts = _attempts(session, submission_id, counting=work.attempt_id)
        shown = _shown(attempts, attempt)
        stored = None if shown is None else session.get_one(models.Attempt, shown.id).result
        student = session.get_one(models.User, found.submission.user_id)
        mask = OPEN if blind is None else mask_of_author(session, found)
        comments = comments_on(session, submission_id, for_staff=True)
        adjustments = history(session, submission_id)
        requests = requests_of(session, submission_id)
        review = _review(session, submission_id)
    source = reading.files_of(database, submission_id)
    result = None if stored is None else mask.result(load(stored), source)
    names = mask.names(source)
    shown_source = mask.files(source)
    return Dossier(
        seat=found.seat,
        submission_id=submission_id,
        assignment=found.assignment.slug,
        assignment_title=found.assignment.title,
        student=student.name if blind is None else blind.pseudonym(student.id),
        login=student.login if blind is None else None,
        number=found.submission.number,
        received_at=found.submission.received_at,
        attempts=tuple(_masked_attempt(line, mask) for line in attempts),
        shown=None if shown is None else shown.number,
        view=None if result is None else view_of(result, STAFF, source=shown_source),
        source=shown_source,
        earned=work.work.earned,
        adjusted_by=work.work.adjusted_by,
        points=work.work.points,
        max_points=work.work.max_score,
        review=review,
        comments=tuple(_masked_comment(item, mask, names, reader=found.seat) for item in comments),
        adjustments=tuple(_masked_adjustment(item, mask, reader=found.seat) for item in adjustments),
        requests=tuple(masked_request(item, mask, reader=found.seat) for item in requests),
        blind=blind is not None,
    )


def real_file(database: Database, *, actor: Actor, submission_id: UUID, shown: int | str) -> str:
    """The name of a submission's file: the one at that place, as pages number them, or shown by that name.

    NotFound or InvalidInput if there is none.
    """
    with database.reading() as session:
        found = submission_under_review(session, submission_id=submission_id, user_id=actor.user_id)
        found.seat.require_staff()
        mask = mask_for_seat(session, found)
    source = reading.files_of(database, submission_id)
    if isinstance(shown, str):
        return file_shown_as(shown, mask, source)
    if not 0 <= shown < len(source.files):
        raise NotFound("file of the submission", str(shown))
    return source.files[shown].name


def _attempts(session: Session, submission_id: UUID, *, counting: UUID | None) -> tuple[AttemptLine, ...]:
    rows = session.execute(
        select(
            models.Attempt, models.AssignmentVersion.number, models.RegradeItem.plan_id, models.RegradePlan
        )
        .join(models.AssignmentVersion, models.AssignmentVersion.id == models.Attempt.version_id)
        .outerjoin(models.RegradeItem, models.RegradeItem.attempt_id == models.Attempt.id)
        .outerjoin(models.RegradePlan, models.RegradePlan.id == models.RegradeItem.plan_id)
        .where(models.Attempt.submission_id == submission_id)
        .order_by(models.Attempt.number)
        .options(defer(models.Attempt.result))
    )
    return tuple(
        AttemptLine(
            id=row.id,
            number=row.number,
            version=version,
            state=row.state,
            score=row.score,
            max_score=row.max_score,
            finished_at=row.finished_at,
            failure_reason=row.failure_reason,
            plan=None if plan_id is None else plan.state,
            counts=row.id == counting,
        )
        for row, version, plan_id, plan in rows
    )


def _shown(attempts: tuple[AttemptLine, ...], number: int | None) -> AttemptLine | None:
    """The attempt asked for; else the one that counts, else the newest that has ended."""
    if number is not None:
        asked = next((line for line in attempts if line.number == number), None)
        if asked is None:
            raise NotFound("attempt of this submission", str(number))
        return asked
    ended = [line for line in attempts if line.state.final]
    return next((line for line in ended if line.counts), ended[-1] if ended else None)


def _review(session: Session, submission_id: UUID) -> Reviewing:
    row = session.execute(
        select(models.Review, models.User.name)
        .outerjoin(models.User, models.User.id == models.Review.reviewed_by)
        .where(models.Review.submission_id == submission_id)
    ).one_or_none()
    if row is None:
        return Reviewing(version=UNTOUCHED, reviewed_at=None, reviewed_by=None)
    review, name = row
    return Reviewing(version=review.version, reviewed_at=review.reviewed_at, reviewed_by=name)


def _masked_attempt(line: AttemptLine, mask: Mask) -> AttemptLine:
    return (
        line if line.failure_reason is None else replace(line, failure_reason=mask.text(line.failure_reason))
    )


def _masked_comment(item: CommentView, mask: Mask, names: Mapping[str, str], *, reader: Seat) -> CommentView:
    said = covers_for(reader, mask, writer_id=item.author_id)
    return replace(item, text=said.text(item.text), place=masked_place(item.place, mask, names))


def _masked_adjustment(item: AdjustmentView, mask: Mask, *, reader: Seat) -> AdjustmentView:
    said = covers_for(reader, mask, writer_id=item.author_id)
    return replace(item, reason=said.text(item.reason))
