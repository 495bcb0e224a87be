"""A person's own page: how they are called, their password, their tokens, where they are logged in."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from grader.db.database import Database
from grader.domain.errors import Conflict, GraderError, InvalidInput, NotLoggedIn, TooManyRequests
from grader.domain.zones import zone_names
from grader.services.access import Actor
from grader.services.accounts.profile import PasswordChange, change_password, change_profile, profile_of
from grader.services.accounts.sessions import end_own_session, open_sessions
from grader.services.accounts.tokens import NewToken, create_token, revoke_token, tokens_of
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.errors import problem_of
from grader.web.rendering import page, see_other
from grader.web.security.cookies import Cookie, read_cookie
from grader.web.security.logins import remember_browser
from grader.web.visitors import context_of, visitor_of

router = APIRouter(prefix="/account")

HERE = "/account"
Short = Annotated[str, Form(max_length=1000)]
Password = Annotated[str, Form(max_length=4096)]
_Mendable = (InvalidInput, Conflict, NotLoggedIn, TooManyRequests)


@router.get("")
def account(request: Request, database: Db, actor: CurrentActor) -> Response:
    """Everything at once."""
    return _page(request, database, actor)


@router.post("/profile")
def save_profile(
    request: Request,
    database: Db,
    actor: CurrentActor,
    name: Short = "",
    email: Short = "",
    timezone: Short = "",
) -> Response:
    """Change name, address and zone."""
    try:
        change_profile(database, actor=actor, name=name, email=email, timezone=timezone)
    except _Mendable as error:
        typed = {"name": name, "email": email, "timezone": timezone}
        return _page(request, database, actor, form="profile", error=error, typed=typed)
    return see_other(HERE, request=request, flash="Saved.")


@router.post("/password")
def save_password(
    request: Request,
    database: Db,
    web: Web,
    actor: CurrentActor,
    new: Password = "",
    current: Password = "",
) -> Response:
    """Change the password; other browsers are logged out."""
    change = PasswordChange(current=current, new=new)
    try:
        change_password(database, change, actor=actor, session_id=visitor_of(request).session_id)
    except _Mendable as error:
        return _page(request, database, actor, form="password", error=error)
    response = see_other(
        HERE, request=request, flash="Your password is changed; you were logged out everywhere else."
    )
    remember_browser(request, response, token=read_cookie(request, Cookie.SESSION, web.web) or "")
    return response


@router.post("/tokens")
def make_token(
    request: Request, database: Db, actor: CurrentActor, name: Short = "", days: Annotated[int, Form()] = 90
) -> Response:
    """Make a token and show it, this once."""
    try:
        made = create_token(database, actor=actor, name=name, days=days)
    except _Mendable as error:
        return _page(request, database, actor, form="tokens", error=error, typed={"token": name})
    return _page(request, database, actor, new_token=made)


@router.post("/tokens/{token_id}/revoke")
def revoke(request: Request, database: Db, actor: CurrentActor, token_id: UUID) -> Response:
    """Make a token worthless."""
    revoke_token(database, actor=actor, token_id=token_id)
    return see_other(HERE, request=request, flash="The token works no more.")


@router.post("/sessions/{session_id}/end")
def end(request: Request, database: Db, actor: CurrentActor, session_id: UUID) -> Response:
    """Log out somewhere else."""
    end_own_session(database, actor=actor, session_id=session_id)
    return see_other(HERE, request=request, flash="That session has ended.")


def _page(
    request: Request,
    database: Database,
    actor: Actor,
    *,
    form: str = "",
    error: GraderError | None = None,
    typed: dict[str, str] | None = None,
    new_token: NewToken | None = None,
) -> Response:
    settings: Web = context_of(request)
    problem = None if error is None else problem_of(error)
    return page(
        request,
        "account.html",
        status_code=200 if problem is None else problem.status,
        profile=profile_of(database, actor=actor),
        sessions=open_sessions(database, actor=actor, settings=settings.web),
        this_session=visitor_of(request).session_id,
        tokens=tokens_of(database, actor=actor),
        zones=zone_names(),
        typed=typed or {},
        problems={form: problem} if problem else {},
        new_token=new_token,
    )
