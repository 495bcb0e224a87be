"""Answers that are given before any route is asked, and errors that routes pass through unchanged."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.types import Receive, Scope, Send

from grader.web.errors import Problem, answer, http_problem


class Refused(HTTPException):
    """A request that is given up while it is read; the framework hands these through to our own handler."""

    ours = True


async def refuse(scope: Scope, receive: Receive, send: Send, *, status: int, detail: str = "") -> None:
    """Answer in place of the application."""
    await tell(scope, receive, send, http_problem(status, detail))


async def tell(scope: Scope, receive: Receive, send: Send, problem: Problem) -> None:
    """Answer with a problem in place of the application."""
    response = answer(Request(scope), problem)
    await response(scope, receive, send)
