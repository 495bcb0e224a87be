"""A student's request for another look at a graded submission."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.domain.errors import Conflict, InvalidInput
from grader.domain.view import Disclosure, ReportView
from grader.presentation.words import REQUEST_WORDS
from grader.services.reviewing.requests import ask, withdraw
from grader.services.student.reports import SubmissionReport, report_of
from grader.web.dependencies import CurrentActor, Db
from grader.web.errors import problem_of
from grader.web.rendering import page, see_other

router = APIRouter()


@router.get("/submissions/{submission_id}/request")
def form(request: Request, actor: CurrentActor, database: Db, submission_id: UUID) -> Response:
    """The form of a request, and what became of earlier ones."""
    return _page(request, report_of(database, actor=actor, submission_id=submission_id))


@router.post("/submissions/{submission_id}/request")
def send(
    request: Request,
    actor: CurrentActor,
    database: Db,
    submission_id: UUID,
    text: Annotated[str, Form()] = "",
    check: Annotated[str, Form()] = "",
) -> Response:
    """Ask."""
    found = report_of(database, actor=actor, submission_id=submission_id)
    try:
        ask(database, actor=actor, submission_id=submission_id, text=text, check_id=check or None)
    except (InvalidInput, Conflict) as error:
        status = problem_of(error).status
        return _page(request, found, problem=str(error), text=text, check=check, status_code=status)
    return see_other(
        f"/submissions/{submission_id}/request",
        request=request,
        flash="Course staff will look at it again and answer here.",
    )


@router.post("/submissions/{submission_id}/request/{request_id}/withdraw")
def take_back(
    request: Request,
    actor: CurrentActor,
    database: Db,
    submission_id: UUID,
    request_id: UUID,
    version: Annotated[int, Form(ge=1)],
) -> Response:
    """Take a request back that nobody has answered."""
    report_of(database, actor=actor, submission_id=submission_id).notes.request(request_id)
    withdraw(database, actor=actor, request_id=request_id, seen=version)
    return see_other(
        f"/submissions/{submission_id}/request", request=request, flash="Your request is taken back."
    )


def _page(
    request: Request,
    found: SubmissionReport,
    *,
    problem: str = "",
    text: str = "",
    check: str = "",
    status_code: int = 200,
) -> Response:
    return page(
        request,
        "student/request.html",
        status_code=status_code,
        seat=found.seat,
        found=found,
        request_words=REQUEST_WORDS,
        groups=() if found.view is None else _checks_by_function(found.view),
        problem=problem,
        text=text,
        check=check,
    )


def _checks_by_function(view: ReportView) -> list[tuple[str, list[tuple[str, str]]]]:
    """The checks that their author can see, to choose from: two functions' checks may share a title."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for criterion in view.criteria:
        for item in criterion.checks:
            if item.disclosure is Disclosure.FULL:
                groups.setdefault(criterion.function, []).append((item.id, item.title))
    return list(groups.items())
