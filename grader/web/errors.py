"""Failures as answers: a page for people, one JSON shape for programs, and a number to find in the log."""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from grader.domain.errors import (
    AssignmentInvalid,
    BrokerUnavailable,
    Conflict,
    EditConflict,
    GraderError,
    InvalidInput,
    NotAllowed,
    NotFound,
    NotLoggedIn,
    ServiceUnavailable,
    SubmissionClosed,
    TooManyRequests,
    UploadRefused,
)
from grader.domain.text import one_line, printable
from grader.web.plainjson import PlainJson
from grader.web.rendering import render
from grader.web.visitors import Visitor, context_of, for_programs, known_visitor

log = logging.getLogger(__name__)

_STATUS: tuple[tuple[type[GraderError], int, str], ...] = (
    (NotLoggedIn, 401, "not_logged_in"),
    (NotAllowed, 403, "not_allowed"),
    (NotFound, 404, "not_found"),
    (SubmissionClosed, 409, "submission_closed"),
    (EditConflict, 409, "edit_conflict"),
    (Conflict, 409, "conflict"),
    (UploadRefused, 422, "upload_refused"),
    (AssignmentInvalid, 422, "assignment_invalid"),
    (InvalidInput, 422, "invalid_input"),
    (TooManyRequests, 429, "too_many_requests"),
    (BrokerUnavailable, 503, "broker_unavailable"),
    (ServiceUnavailable, 503, "service_unavailable"),
)
"""The first class that fits decides; whatever is not listed is our own fault."""

_HTTP_WORDS: dict[int, tuple[str, str]] = {
    400: ("bad_request", "the request cannot be read."),
    404: ("not_found", "there is nothing at this address."),
    405: ("method_not_allowed", "this address does not take that method."),
    408: ("timeout", "the request came too slowly, so it was given up."),
    413: ("too_large", "the request is larger than this address takes."),
    415: ("unsupported_media_type", "this address takes application/json."),
    421: ("wrong_host", "this server does not answer for that host."),
}

_TITLES = {
    401: "Please log in",
    403: "Not allowed",
    404: "Not found",
    409: "That cannot be done now",
    413: "Too large",
    422: "Something is not right yet",
    429: "Too many tries",
    500: "Something went wrong on our side",
    503: "A part of the grader is away",
}

NOT_FOUND = 404
OUR_FAULT = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What went wrong, as it is told: `code` for programs, `message` and `remedy` for people.

    `fields` names each field of a form or body that cannot be used, with what is wrong with it.
    """

    status: int
    code: str
    message: str
    remedy: str = ""
    fields: tuple[tuple[str, str], ...] = ()
    retry_after_s: float | None = None


def install_error_handlers(app: FastAPI) -> None:
    """Answer every failure that a route lets through."""
    app.add_exception_handler(GraderError, _grader_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _validation_error)


def problem_of(error: GraderError) -> Problem:
    """An error of our tree as a problem. One that no caller can mend is told without its details."""
    for kind, status, code in _STATUS:
        if isinstance(error, kind):
            return Problem(
                status=status,
                code=getattr(error, "code", "") or code,
                message=_message(error),
                remedy=str(getattr(error, "remedy", "")),
                fields=((error.field, error.problem),) if isinstance(error, InvalidInput) else (),
                retry_after_s=error.retry_after_s if isinstance(error, TooManyRequests) else None,
            )
    return our_fault()


def our_fault() -> Problem:
    """What a visitor is told of a failure of ours: nothing but that it was one."""
    return Problem(
        status=OUR_FAULT,
        code="internal_error",
        message="The grader itself failed. Nothing that was stored is lost.",
        remedy="Try again; if it happens again, tell your instructor the number below.",
    )


def answer(request: Request, problem: Problem) -> Response:
    """The problem in the form that the one who asked can read."""
    headers = _headers(request, problem)
    if for_programs(request):
        return PlainJson(problem_json(problem, request_id(request)), problem.status, headers=headers)
    visitor = known_visitor(request)
    html = render(
        "error.html",
        actor=visitor.actor if visitor else None,
        csrf_token=visitor.csrf_token(context_of(request).secret) if visitor else "",
        flash=None,
        log_in=_log_in_address(request) if problem.status == NOT_FOUND and not _logged_in(visitor) else "",
        path=request.url.path,
        problem=problem,
        request_id=request_id(request),
        seat=None,
        title=_TITLES.get(problem.status, "That did not work"),
        zone="UTC",
    )
    return HTMLResponse(html, problem.status, headers=headers)


def problem_json(problem: Problem, number: str) -> dict[str, Any]:
    """The one shape of every error of the API."""
    error: dict[str, Any] = {"code": problem.code, "message": problem.message, "request_id": number}
    if problem.remedy:
        error["remedy"] = problem.remedy
    if problem.fields:
        error["fields"] = [{"field": field, "problem": text} for field, text in problem.fields]
    return {"error": error}


def request_id(request: Request) -> str:
    """The number of this request in the log."""
    return str(getattr(request.state, "request_id", "-"))


def http_problem(status: int, detail: str = "") -> Problem:
    """A failure that HTTP has a number for."""
    code, words = _HTTP_WORDS.get(status, (f"http_{status}", "the request could not be answered."))
    return Problem(status=status, code=code, message=detail or words)


def _grader_error(request: Request, error: Exception) -> Response:
    if isinstance(error, NotLoggedIn) and not for_programs(request):
        return _to_log_in(request)
    if not isinstance(error, GraderError):
        raise error
    problem = problem_of(error)
    if problem.status == OUR_FAULT:
        log.error("request %s failed: %s", request_id(request), one_line(str(error), 1000), exc_info=error)
    return answer(request, problem)


def _logged_in(visitor: Visitor | None) -> bool:
    return visitor is not None and visitor.actor is not None


def _log_in_address(request: Request) -> str:
    """The log-in page, which leads back here where that can be read."""
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return f"/login?{urlencode({'next': wanted})}" if request.method in ("GET", "HEAD") else "/login"


def _to_log_in(request: Request) -> Response:
    target = _log_in_address(request)
    if request.headers.get("hx-request"):
        # HTMX would put the log-in form into a corner of the page.
        return Response(status_code=204, headers={"hx-redirect": "/login"})
    return RedirectResponse(target, status_code=303)


def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    # What the framework says by itself is no better than our own words.
    detail = error.detail if getattr(error, "ours", False) else ""
    return answer(request, http_problem(error.status_code, detail))


def _validation_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    if _of_the_address(error.errors()):
        return answer(request, http_problem(404))
    fields = tuple((_field(item["loc"]), one_line(str(item["msg"]), 300)) for item in error.errors())
    words = "; ".join(f"{field}: {text}" for field, text in fields[:5])
    problem = Problem(status=422, code="invalid_input", message=words, fields=fields)
    return answer(request, problem)


def _of_the_address(errors: Sequence[Any]) -> bool:
    """Whether it is the address that is malformed: such a thing does not exist."""
    return any(item["loc"][:1] == ("path",) for item in errors)


def _field(location: Sequence[Any]) -> str:
    return one_line(".".join(str(part) for part in location[1:]) or str(location[0]), 120)


def _message(error: GraderError) -> str:
    if isinstance(error, AssignmentInvalid):
        # The folder it was unpacked to is nobody's business; its name is.
        return printable(f"{error.path.name}: {error.problem}", limit=2000)
    if isinstance(error, UploadRefused):
        return printable(f"{error.name}: {error.problem}", limit=2000)
    if isinstance(error, InvalidInput):
        return printable(error.problem, limit=2000)
    return printable(str(error), limit=2000)


def _headers(request: Request, problem: Problem) -> dict[str, str]:
    headers: dict[str, str] = {}
    if problem.retry_after_s is not None:
        headers["retry-after"] = str(max(1, math.ceil(problem.retry_after_s)))
    if problem.status == 401 and for_programs(request):  # noqa: PLR2004 - the status for this header
        headers["www-authenticate"] = 'Bearer realm="grader"'
    return headers
