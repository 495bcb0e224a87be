"""Submissions: their reports, progress, receipts, files and differences, and asking for a regrade."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from fastapi import APIRouter, Query
from pydantic import Field
from starlette.responses import Response

from grader.db.database import Database
from grader.domain.report_json import view_to_json
from grader.services.access import Actor
from grader.services.lookup import submissions_in_reach
from grader.services.receipts.documents import signing_key
from grader.services.receipts.issuing import receipt_for
from grader.services.reviewing.requests import REQUEST_LIMIT, ask, withdraw
from grader.services.student.choosing import choose
from grader.services.student.files import compare, uploaded_file
from grader.services.student.progress import progress_now
from grader.services.student.reports import report_of
from grader.web.addresses import AttemptNumber, FilePosition
from grader.web.api.schemas import Body
from grader.web.api.submissions_json import (
    Difference,
    Key,
    Progress,
    Request,
    SubmissionDetail,
    progress_json,
    submission_detail,
)
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.downloads import attachment

router = APIRouter(tags=["submissions"])


class RequestWanted(Body):
    """What I ask staff to look at again; without a check, the whole."""

    text: str = Field(min_length=1, max_length=REQUEST_LIMIT)
    check_id: str | None = Field(default=None, max_length=300)


class Seen(Body):
    """The version that was looked at."""

    version: int = Field(ge=1, le=1_000_000)


@router.get("/submissions")
def find(
    actor: CurrentActor,
    database: Db,
    start: Annotated[str, Query(pattern="^[0-9a-f]{4,32}$", description="How its id begins, in hex digits.")],
    course: Annotated[str | None, Query(max_length=100, description="Only in this course.")] = None,
) -> list[UUID]:
    """The submissions that I may read and whose ids begin so; at most twenty."""
    return list(submissions_in_reach(database, actor=actor, start=start, course=course))


@router.get("/submissions/{submission_id}")
def submission(actor: CurrentActor, database: Db, submission_id: UUID) -> SubmissionDetail:
    """A submission with its history and what staff say about it."""
    return submission_detail(report_of(database, actor=actor, submission_id=submission_id))


@router.get("/submissions/{submission_id}/report", response_model=None)
def report(
    actor: CurrentActor, database: Db, submission_id: UUID, attempt: AttemptNumber = None
) -> dict[str, Any]:
    """The report as `grader check --json` prints it (null while there is none), and the submission."""
    found = report_of(database, actor=actor, submission_id=submission_id, attempt=attempt)
    return {
        "submission": submission_detail(found).model_dump(mode="json"),
        "attempt": found.shown.number,
        "state": found.shown.state.value,
        "report": None if found.view is None else view_to_json(found.view),
    }


@router.get("/submissions/{submission_id}/progress")
def progress(actor: CurrentActor, database: Db, submission_id: UUID) -> Progress:
    """How far grading is now."""
    now = progress_now(database, actor=actor, submission_id=submission_id)
    return progress_json(now)


@router.get("/submissions/{submission_id}/receipt", response_model=None)
def receipt(actor: CurrentActor, database: Db, web: Web, submission_id: UUID) -> dict[str, Any]:
    """The signed receipt."""
    key = signing_key(web.secret)
    return receipt_for(database, actor=actor, submission_id=submission_id, key=key, server=web.web.url)


@router.get("/submissions/{submission_id}/files/{position}", response_class=Response)
def file(actor: CurrentActor, database: Db, submission_id: UUID, position: FilePosition) -> Response:
    """One file exactly as it was uploaded."""
    upload = uploaded_file(database, actor=actor, submission_id=submission_id, position=position)
    return attachment(upload.data, name=upload.name)


@router.get("/submissions/{submission_id}/diff/{other_id}")
def diff(actor: CurrentActor, database: Db, submission_id: UUID, other_id: UUID) -> Difference:
    """What changed between two submissions of one student, the earlier one as the old."""
    return Difference.model_validate(
        compare(database, actor=actor, submission_id=submission_id, other_id=other_id)
    )


@router.post("/submissions/{submission_id}/choose", status_code=204)
def choose_this(actor: CurrentActor, database: Db, submission_id: UUID) -> None:
    """Mark a submission of mine as the one that counts."""
    choose(database, actor=actor, submission_id=submission_id)


@router.get("/submissions/{submission_id}/requests")
def requests(actor: CurrentActor, database: Db, submission_id: UUID) -> list[Request]:
    """The requests for a regrade of a submission, oldest first."""
    found = report_of(database, actor=actor, submission_id=submission_id)
    return [Request.model_validate(note) for note in found.notes.requests]


@router.post("/submissions/{submission_id}/requests", status_code=201)
def request_regrade(actor: CurrentActor, database: Db, submission_id: UUID, body: RequestWanted) -> Request:
    """Ask staff to look at a submission of mine again."""
    made = ask(database, actor=actor, submission_id=submission_id, text=body.text, check_id=body.check_id)
    return _request(database, actor, submission_id, made.id)


@router.post("/submissions/{submission_id}/requests/{request_id}/withdraw")
def withdraw_request(
    actor: CurrentActor, database: Db, submission_id: UUID, request_id: UUID, body: Seen
) -> Request:
    """Take a request back that nobody has answered."""
    _request(database, actor, submission_id, request_id)
    withdraw(database, actor=actor, request_id=request_id, seen=body.version)
    return _request(database, actor, submission_id, request_id)


@router.get("/receipt-key")
def receipt_key(web: Web) -> Key:
    """The key that receipts of this server are verified with; it is no secret."""
    key = signing_key(web.secret).public
    return Key(algorithm="Ed25519", key_id=key.id, key=key.text)


def _request(database: Database, actor: Actor, submission_id: UUID, request_id: UUID) -> Request:
    """One request for that submission; NotFound if it is another's."""
    notes = report_of(database, actor=actor, submission_id=submission_id).notes
    return Request.model_validate(notes.request(request_id))
