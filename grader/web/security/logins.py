"""What every way of logging in ends with, and what it is counted by."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from grader.services.accounts.devices import LIFE, remember_device
from grader.services.accounts.sessions import end_session
from grader.web.rendering import see_other
from grader.web.security.cookies import Cookie, clear_cookie, read_cookie, set_cookie
from grader.web.visitors import context_of


def begin_session(request: Request, token: str, *, then: str, flash: str = "") -> Response:
    """Give the browser its new session and send it on; the one it had before ends.

    The token is always a new one: one that somebody put into the browser before is worth nothing.
    """
    context = context_of(request)
    if earlier := read_cookie(request, Cookie.SESSION, context.web):
        end_session(context.database, token=earlier)
    response = see_other(then, request=request, flash=flash)
    longest = int(context.web.session_longest.total_seconds())
    set_cookie(response, Cookie.SESSION, token, settings=context.web, max_age_s=longest)
    clear_cookie(response, Cookie.VISITOR, settings=context.web)
    remember_browser(request, response, token=token)
    return response


def remember_browser(request: Request, response: Response, *, token: str) -> None:
    """Let the account of that session know this browser again when somebody guesses at its password."""
    context = context_of(request)
    cookie = remember_device(
        context.database, session_token=token, cookie=device_of(request), secret=context.secret
    )
    if cookie is not None:
        longest = int(LIFE.total_seconds())
        set_cookie(response, Cookie.DEVICE, cookie, settings=context.web, max_age_s=longest)


def device_of(request: Request) -> str:
    """The cookie by which accounts may know this browser."""
    return read_cookie(request, Cookie.DEVICE, context_of(request).web) or ""


def address_of(request: Request) -> str:
    """Where a request comes from. A proxy's word counts only where GRADER_TRUSTED_PROXY names the proxy."""
    return request.client.host if request.client else "unknown"


def agent_of(request: Request) -> str:
    """What the browser calls itself."""
    return request.headers.get("user-agent", "")
