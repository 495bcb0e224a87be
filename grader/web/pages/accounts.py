"""Coming in and going out."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from grader.services.accounts.sessions import end_session
from grader.web.dependencies import Db, Web
from grader.web.rendering import see_other
from grader.web.security.cookies import Cookie, clear_cookie, read_cookie

router = APIRouter()


@router.post("/logout")
def log_out(request: Request, database: Db, web: Web) -> Response:
    """End this browser's session."""
    if token := read_cookie(request, Cookie.SESSION, web.web):
        end_session(database, token=token)
    response = see_other("/login", request=request, flash="You are logged out.")
    clear_cookie(response, Cookie.SESSION, settings=web.web)
    return response
