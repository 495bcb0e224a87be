"""A submission's pages: its report, its files, what changed since another, its receipt."""

from __future__ import annotations

import json
from fractions import Fraction
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.responses import Response

from grader.domain.ledger import deadline_ledger, lateness_ledger
from grader.domain.moments import moment_text
from grader.domain.reviewing import AdjustmentKind
from grader.presentation.changes import Change
from grader.presentation.changes import Request as RegradeRequest
from grader.presentation.html import Heading, Remark, render_report, report_parts
from grader.presentation.ledgers import THEN, ledger_text
from grader.services.receipts.documents import file_name, signing_key
from grader.services.receipts.issuing import receipt_for
from grader.services.student.choosing import choose
from grader.services.student.files import compare, uploaded_file
from grader.services.student.prices import price_tag
from grader.services.student.progress import progress_now
from grader.services.student.reports import SubmissionReport, report_of
from grader.web.addresses import AttemptNumber, FilePosition
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.downloads import attachment
from grader.web.rendering import page, see_other

router = APIRouter()


@router.get("/submissions/{submission_id}")
def report(
    request: Request,
    actor: CurrentActor,
    database: Db,
    submission_id: UUID,
    attempt: AttemptNumber = None,
) -> Response:
    """The report; while there is none, how far grading is."""
    found = report_of(database, actor=actor, submission_id=submission_id, attempt=attempt)
    if found.view is None:
        now = progress_now(database, actor=actor, submission_id=submission_id)
        return page(request, "student/waiting.html", seat=found.seat, found=found, now=now)
    parts = report_parts(
        found.view,
        source=found.source,
        heading=_heading(found),
        remarks=_remarks(found),
        changes=_changes(found),
    )
    return page(
        request,
        "student/report.html",
        seat=found.seat,
        found=found,
        item=found.item,
        parts=parts,
        ledger=_ledger(found),
        moving=not found.attempts[0].state.final,
    )


@router.get("/submissions/{submission_id}/report.html")
def standalone(
    actor: CurrentActor, database: Db, submission_id: UUID, attempt: AttemptNumber = None
) -> Response:
    """The report as one file, to keep or to print."""
    found = report_of(database, actor=actor, submission_id=submission_id, attempt=attempt)
    if found.view is None:
        return see_other(f"/submissions/{submission_id}")
    html = render_report(
        found.view,
        source=found.source,
        heading=_heading(found, links=False),
        remarks=_remarks(found),
        changes=_changes(found),
        requests=_requests(found),
    )
    name = f"{found.item.slug}-{found.number}-report.html"
    return attachment(html.encode("utf-8"), name=name, media_type="text/html; charset=utf-8")


@router.get("/submissions/{submission_id}/files/{position}")
def file(actor: CurrentActor, database: Db, submission_id: UUID, position: FilePosition) -> Response:
    """One file exactly as it was uploaded, never shown by the browser itself."""
    upload = uploaded_file(database, actor=actor, submission_id=submission_id, position=position)
    return attachment(upload.data, name=upload.name)


@router.get("/submissions/{submission_id}/diff/{other_id}")
def diff(
    request: Request,
    actor: CurrentActor,
    database: Db,
    submission_id: UUID,
    other_id: UUID,
    *,
    split: bool = False,
) -> Response:
    """What changed between two submissions, in one column or in two."""
    found = compare(database, actor=actor, submission_id=submission_id, other_id=other_id)
    return page(request, "student/diff.html", seat=found.seat, found=found, split=split)


@router.get("/submissions/{submission_id}/receipt")
def receipt(request: Request, actor: CurrentActor, database: Db, web: Web, submission_id: UUID) -> Response:
    """The receipt, to read; its signed form is a file."""
    found = report_of(database, actor=actor, submission_id=submission_id)
    key = signing_key(web.secret)
    ledger = deadline_ledger(found.item.schedule, found.item.allowance, found.seat.zone)
    return page(
        request,
        "student/receipt.html",
        seat=found.seat,
        found=found,
        key=key.public,
        file_name=file_name({"receipt": {"assignment": found.item.slug, "number": found.number}}),
        ledger=[ledger_text(line, found.seat.zone) for line in ledger],
        price=price_tag(found.course, found.item, at=found.received_at),
        begin=THEN,
        received=moment_text(found.received_at, found.seat.zone, seconds=True),
    )


@router.get("/submissions/{submission_id}/receipt.json")
def receipt_file(actor: CurrentActor, database: Db, web: Web, submission_id: UUID) -> Response:
    """The signed receipt as a file."""
    document = receipt_for(
        database,
        actor=actor,
        submission_id=submission_id,
        key=signing_key(web.secret),
        server=web.web.url,
    )
    data = json.dumps(document, indent=2, ensure_ascii=True).encode("ascii")
    return attachment(data, name=file_name(document), media_type="application/json")


@router.get("/.well-known/grader-receipt-key")
def receipt_key(web: Web) -> Response:
    """The key that receipts of this server are verified with; it is no secret."""
    key = signing_key(web.secret).public
    body = {"algorithm": "Ed25519", "key_id": key.id, "key": key.text}
    return Response(json.dumps(body), media_type="application/json")


@router.post("/submissions/{submission_id}/choose")
def choose_this(request: Request, actor: CurrentActor, database: Db, submission_id: UUID) -> Response:
    """Mark a submission as the one that counts."""
    choose(database, actor=actor, submission_id=submission_id)
    return see_other(
        f"/submissions/{submission_id}", request=request, flash="This submission is the one that counts."
    )


def _heading(found: SubmissionReport, *, links: bool = True) -> Heading:
    lesson = f"/courses/{found.seat.course_slug}/assignments/{found.item.slug}" if links else ""
    return Heading(
        title=found.item.title,
        student="" if found.own else found.student,
        submitted_at=found.received_at.astimezone(found.seat.zone),
        submission=found.number,
        attempt=found.shown.number,
        lesson_url=lesson,
        adjusted=_adjusted(found),
    )


def _adjusted(found: SubmissionReport) -> Fraction | None:
    """The points that staff left of those shown; None where they changed nothing."""
    if found.view is None or not found.shown.counts or found.points == found.view.score:
        return None
    return found.points


def _remarks(found: SubmissionReport) -> tuple[Remark, ...]:
    return tuple(
        Remark(
            text=note.text,
            byline=f"{note.author}, {moment_text(note.at, found.seat.zone)}"
            f"{' (edited)' if note.edited else ''}",
            file=note.file,
            line=note.line,
            check_id=note.check_id,
            staff_only=note.staff_only,
        )
        for note in found.notes.comments
    )


def _changes(found: SubmissionReport) -> tuple[Change, ...]:
    """What staff changed. Points that they set hold for the attempt that counts, so no other shows them."""
    return tuple(
        Change(
            about=note.about,
            points=note.points,
            reason=note.reason,
            byline=f"{note.author}, {moment_text(note.at, found.seat.zone)}",
            sets=note.kind is AdjustmentKind.SET_CHECK,
            check_id=note.check_id if found.shown.counts else None,
            ended="taken back" if note.revoked else "replaced since" if note.replaced else "",
        )
        for note in found.notes.adjustments
    )


def _requests(found: SubmissionReport) -> tuple[RegradeRequest, ...]:
    return tuple(
        RegradeRequest(
            about=note.about,
            text=note.text,
            state=note.state.value,
            answer=note.answer,
            answered_by=note.answered_by,
        )
        for note in found.notes.requests
    )


def _ledger(found: SubmissionReport) -> list[str]:
    """How the deadline and the price of missing it came about, for the submission that counts."""
    item, zone = found.item, found.seat.zone
    lines = deadline_ledger(item.schedule, item.allowance, zone)
    if found.counts:
        late = item.standing.lateness
        lines = (*lines, *lateness_ledger(found.received_at, schedule=item.schedule, late=late))
    return [ledger_text(line, zone) for line in lines]
