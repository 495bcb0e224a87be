"""Logging in and out, with a password or through a provider."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from grader.domain.errors import GraderError, NotFound, NotLoggedIn, TooManyRequests
from grader.services.accounts.logging_in import Credentials, log_in
from grader.services.accounts.oidc import OidcProvider
from grader.services.accounts.sessions import end_session
from grader.services.accounts.setup import setup_needed
from grader.services.accounts.sso import log_in_vouched
from grader.web.context import WebContext
from grader.web.dependencies import Db, MaybeActor, Web
from grader.web.errors import OUR_FAULT, problem_of
from grader.web.rendering import local_path, page, see_other
from grader.web.security.cookies import Cookie, clear_cookie, read_cookie
from grader.web.security.logins import address_of, agent_of, begin_session, device_of
from grader.web.security.questions import Journey, clear_journey, read_journey, remember_journey

CALLBACK = "/login/sso/back"

router = APIRouter()

Next = Annotated[str, Query(alias="next", max_length=2000)]


@router.get("/login")
def login_form(request: Request, database: Db, actor: MaybeActor, wanted: Next = "/") -> Response:
    """The form; who is logged in already goes on."""
    if actor is not None:
        return see_other(local_path(wanted))
    if setup_needed(database):
        return see_other("/setup")
    return _form(request, wanted=wanted)


@router.post("/login")
def log_in_with_password(
    request: Request,
    database: Db,
    web: Web,
    name: Annotated[str, Form(max_length=1000)] = "",
    password: Annotated[str, Form(max_length=4096)] = "",
    wanted: Annotated[str, Form(alias="next", max_length=2000)] = "/",
) -> Response:
    """Open a session, or say that name and password do not fit."""
    given = Credentials(
        name=name,
        password=password,
        address=address_of(request),
        user_agent=agent_of(request),
        device=device_of(request),
    )
    try:
        token = log_in(database, given, settings=web.web, secret=web.secret)
    except (NotLoggedIn, TooManyRequests) as error:
        return _form(request, wanted=wanted, name=name, error=error)
    return begin_session(request, token, then=local_path(wanted))


@router.post("/logout")
def log_out(request: Request, database: Db, web: Web) -> Response:
    """End this browser's session."""
    if token := read_cookie(request, Cookie.SESSION, web.web):
        end_session(database, token=token)
    response = see_other("/login", request=request, flash="You are logged out.")
    clear_cookie(response, Cookie.SESSION, settings=web.web)
    return response


@router.get("/login/sso")
def to_provider(request: Request, web: Web, wanted: Next = "/") -> Response:
    """Send the browser to the provider, with a question that only it can bring back answered."""
    try:
        address, question = _provider(web).ask(redirect_uri=web.link(CALLBACK))
    except GraderError as error:
        return _form(request, wanted=wanted, error=error)
    response = Response(status_code=303, headers={"location": address})
    remember_journey(response, Journey(question=question, wanted=local_path(wanted)), context=web)
    return response


@router.get(CALLBACK)
def back_from_provider(
    request: Request,
    database: Db,
    web: Web,
    state: Annotated[str, Query(max_length=500)] = "",
    code: Annotated[str, Query(max_length=4000)] = "",
) -> Response:
    """Open a session for who the provider vouches for."""
    provider = _provider(web)
    journey = read_journey(request, state=state, context=web)
    try:
        if journey is None or not code:
            raise NotLoggedIn("this log-in was not begun in this browser, or took too long. Begin again.")
        vouched = provider.redeem(journey.question, code=code, redirect_uri=web.link(CALLBACK))
        token = log_in_vouched(
            database,
            vouched,
            user_agent=agent_of(request),
            oidc=provider.settings,
            settings=web.web,
        )
    except GraderError as error:
        response: Response = _form(request, wanted=journey.wanted if journey else "/", error=error)
    else:
        response = begin_session(request, token, then=journey.wanted)
    clear_journey(response, context=web)
    return response


def _form(request: Request, *, wanted: str, name: str = "", error: GraderError | None = None) -> Response:
    problem = None if error is None else problem_of(error)
    sso = _sso_name(request.app.state.context)
    response = page(
        request,
        "login.html",
        status_code=200 if problem is None else problem.status,
        wanted=local_path(wanted),
        name=name,
        problem=problem,
        sso=sso,
    )
    if problem is not None and problem.retry_after_s is not None:
        response.headers["retry-after"] = str(max(1, round(problem.retry_after_s)))
    if problem is not None and problem.status == OUR_FAULT:
        raise error or AssertionError
    return response


def _sso_name(context: WebContext) -> str | None:
    return context.sso.settings.name if context.sso else None


def _provider(web: WebContext) -> OidcProvider:
    if web.sso is None:
        raise NotFound("log-in provider", "single sign-on")
    return web.sso
