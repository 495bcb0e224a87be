"""A student asks for another look at a graded submission; staff answer once, with or without points."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotFound
from grader.domain.reviewing import RequestState
from grader.domain.stored import load
from grader.domain.text import one_line
from grader.domain.view import Disclosure, view_of
from grader.services.access import Actor, Seat, SubmissionSeat, submission_for
from grader.services.auditing import Action, Subject, record
from grader.services.counting import CountingAttempt, Scope, counting_attempts
from grader.services.readers import reader_of
from grader.services.reviewing.adjusting import Change, add_adjustment
from grader.services.reviewing.blind import Mask
from grader.services.reviewing.inputs import text_of
from grader.services.reviewing.masking import covers_for, mask_for_seat
from grader.services.reviewing.seats import seat_behind
from grader.services.reviewing.versions import advance, lock

REQUEST_LIMIT = 4_000
"""Characters of one request."""

MOST_REQUESTS = 5
"""Requests for one submission, those that were withdrawn included."""

_REASON_ROOM = 1_000
"""Characters of an answer that become the reason of an adjustment."""

ANSWERS = frozenset({RequestState.ACCEPTED, RequestState.DECLINED})


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestView:
    """A request and, once there is one, its answer."""

    id: UUID
    submission_id: UUID
    check_id: str | None
    text: str
    created_at: datetime
    state: RequestState
    answer: str | None
    answered_by: str | None
    answered_by_id: UUID | None
    answered_at: datetime | None
    version: int


def ask(
    database: Database, *, actor: Actor, submission_id: UUID, text: str, check_id: str | None = None
) -> RequestView:
    """Ask staff to look at one's own submission again, as a whole or at one of the checks one can see."""
    with database.writing() as session:
        found = submission_for(session, submission_id=submission_id, user_id=actor.user_id)
        if not found.own:
            raise NotFound("submission of yours", str(submission_id))
        lock(session, submission_id)
        now = database.now(session)
        attempt = counting_attempts(session, Scope(submission_ids=[submission_id])).get(submission_id)
        if attempt is None:
            raise Conflict("This submission has not been graded yet; ask when you have seen its report.")
        if check_id is not None:
            _require_in_view(session, found, attempt, check_id, now=now)
        _require_turn(session, submission_id)
        row = models.RegradeRequest(
            submission_id=submission_id,
            check_id=check_id,
            text=text_of(text, field="text", limit=REQUEST_LIMIT),
            created_at=now,
            state=RequestState.OPEN,
        )
        session.add(row)
        session.flush()
        _record(session, Action.REGRADE_REQUESTED, row, actor=actor, at=now)
        return _view(row, None)


def withdraw(database: Database, *, actor: Actor, request_id: UUID, seen: int) -> RequestView:
    """Take one's own open request back."""
    with database.writing() as session:
        row, found = _found(session, request_id, actor)
        if not found.own:
            raise NotFound("regrade request of yours", str(request_id))
        _require_open(row, seen)
        row.state, row.version = RequestState.WITHDRAWN, row.version + 1
        _record(session, Action.REGRADE_WITHDRAWN, row, actor=actor, at=database.now(session))
        return _view(row, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What staff answer; a change of points goes with acceptance only."""

    state: RequestState
    text: str
    change: Change | None = None


def answer(database: Database, *, actor: Actor, request_id: UUID, answer: Answer, seen: int) -> RequestView:
    """Answer an open request; `seen` is the version of the request. Points change in the same transaction."""
    if answer.state not in ANSWERS:
        raise InvalidInput("state", f"a request is not answered with {answer.state.value!r}.")
    if answer.change is not None and answer.state is not RequestState.ACCEPTED:
        raise InvalidInput("points", "a declined request changes no points.", "Accept it, or leave them out.")
    with database.writing() as session:
        row, found = _found(session, request_id, actor)
        found.seat.require_staff()
        _require_open(row, seen)
        now = database.now(session)
        row.answer = text_of(answer.text, field="answer")
        row.state, row.version = answer.state, row.version + 1
        row.answered_by, row.answered_at = actor.user_id, now
        advance(session, row.submission_id)
        if answer.change is not None:
            add_adjustment(
                session,
                actor=actor,
                submission_id=row.submission_id,
                change=answer.change,
                reason=f"Regrade request: {row.answer}"[:_REASON_ROOM],
                now=now,
            )
        _record(session, Action.REGRADE_ANSWERED, row, actor=actor, at=now)
        return masked_request(_view(row, actor.name), mask_for_seat(session, found), reader=found.seat)


def masked_request(item: RequestView, mask: Mask, *, reader: Seat) -> RequestView:
    """A request with its author's name covered in what was written."""
    answered = covers_for(reader, mask, writer_id=item.answered_by_id)
    answer = None if item.answer is None else answered.text(item.answer)
    return replace(item, text=mask.text(item.text), answer=answer)


def requests_of(session: Session, submission_id: UUID) -> tuple[RequestView, ...]:
    """All requests for a submission, oldest first; one query."""
    rows = session.execute(
        select(models.RegradeRequest, models.User.name)
        .outerjoin(models.User, models.User.id == models.RegradeRequest.answered_by)
        .where(models.RegradeRequest.submission_id == submission_id)
        .order_by(models.RegradeRequest.created_at, models.RegradeRequest.id)
    )
    return tuple(_view(row, name) for row, name in rows)


def open_requests(session: Session, scope: Scope) -> dict[UUID, datetime]:
    """When the open request of each submission that has one was made; one query."""
    query = (
        select(models.Submission.id, models.RegradeRequest.created_at)
        .join(models.RegradeRequest, models.RegradeRequest.submission_id == models.Submission.id)
        .where(models.RegradeRequest.state == RequestState.OPEN)
    )
    return {row.id: row.created_at for row in session.execute(scope.narrow(query))}


def _found(session: Session, request_id: UUID, actor: Actor) -> tuple[models.RegradeRequest, SubmissionSeat]:
    submission_id = session.scalar(
        select(models.RegradeRequest.submission_id).where(models.RegradeRequest.id == request_id)
    )
    found = seat_behind(session, "regrade request", request_id, submission_id=submission_id, actor=actor)
    lock(session, found.submission.id)
    row = session.get_one(models.RegradeRequest, request_id)
    session.refresh(row)
    return row, found


def _require_open(row: models.RegradeRequest, seen: int) -> None:
    if row.version != seen:
        raise EditConflict("This regrade request", seen=seen, current=row.version)
    if row.state is not RequestState.OPEN:
        raise Conflict(f"This request has been {row.state.value} already.")


def _require_turn(session: Session, submission_id: UUID) -> None:
    states: Collection[RequestState] = session.scalars(
        select(models.RegradeRequest.state).where(models.RegradeRequest.submission_id == submission_id)
    ).all()
    if RequestState.OPEN in states:
        raise Conflict("You have asked already; staff will answer that request first.")
    if len(states) >= MOST_REQUESTS:
        raise Conflict(f"This submission has had {MOST_REQUESTS} requests; please talk to your course staff.")


def _require_in_view(
    session: Session, found: SubmissionSeat, attempt: CountingAttempt, check_id: str, *, now: datetime
) -> None:
    """InvalidInput unless its author can see that check: a hidden one is answered like one that is not."""
    stored = session.scalars(
        select(models.Attempt.result).where(models.Attempt.id == attempt.attempt_id)
    ).one()
    checks = () if stored is None else view_of(load(stored), reader_of(session, found, now=now)).checks
    if check_id not in {check.id for check in checks if check.disclosure is Disclosure.FULL}:
        raise InvalidInput(
            "check",
            f"no check {one_line(check_id, 80)!r} in your report.",
            "Leave it out to ask about the whole.",
        )


def _record(
    session: Session, action: Action, row: models.RegradeRequest, *, actor: Actor, at: datetime
) -> None:
    record(
        session,
        action,
        subject=Subject.REGRADE_REQUEST,
        subject_id=row.id,
        at=at,
        actor_id=actor.user_id,
        data={"submission": str(row.submission_id), "state": row.state.value},
    )


def _view(row: models.RegradeRequest, answered_by: str | None) -> RequestView:
    return RequestView(
        id=row.id,
        submission_id=row.submission_id,
        check_id=row.check_id,
        text=row.text,
        created_at=row.created_at,
        state=row.state,
        answer=row.answer,
        answered_by=answered_by,
        answered_by_id=row.answered_by,
        answered_at=row.answered_at,
        version=row.version,
    )
