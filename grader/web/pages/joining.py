"""Coming in for the first time: the first account of all, and links."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Path, Request
from starlette.responses import Response

from grader.db.database import Database
from grader.domain.errors import Conflict, GraderError, InvalidInput, TooManyRequests
from grader.services.accounts.joining import (
    Joined,
    LinkKind,
    OpenLink,
    join_as,
    join_as_new,
    join_with_password,
    open_link,
)
from grader.services.accounts.members import NewPerson
from grader.services.accounts.sessions import start_session
from grader.services.accounts.setup import SetUp, set_up, setup_needed
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.errors import problem_of
from grader.web.rendering import page, see_other
from grader.web.security.logins import address_of, agent_of, begin_session

router = APIRouter()

Secret = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{20,100}$")]
# An empty field is none to the framework: with a default, services say what is wrong with it.
Short = Annotated[str, Form(max_length=1000)]
Password = Annotated[str, Form(max_length=4096)]


@router.get("/setup")
def setup_form(request: Request, database: Db) -> Response:
    """The form for the first account, while there is none."""
    if not setup_needed(database):
        return see_other("/login")
    return page(request, "setup.html", values={}, problem=None)


@router.post("/setup")
def make_first_account(
    request: Request,
    database: Db,
    web: Web,
    code: Short = "",
    login: Short = "",
    name: Short = "",
    password: Password = "",
    email: Short = "",
) -> Response:
    """Make the first account and log in with it."""
    person = NewPerson(login=login, name=name, email=email, password=password)
    given = SetUp(code=code, person=person, address=address_of(request))
    try:
        user_id = set_up(database, given, secret=web.secret)
    except (InvalidInput, Conflict, TooManyRequests) as error:
        values = {"code": code, "login": login, "name": name, "email": email}
        return _again(request, "setup.html", error, values=values)
    joined = Joined(user_id=user_id, course_slug=None)
    return _come_in(request, database, web, joined, flash="Welcome. Create a course to begin.")


@router.get("/join/{secret}")
def join_form(request: Request, database: Db, secret: Secret) -> Response:
    """What a link is for, and what it asks."""
    return page(
        request, "join.html", link=open_link(database, secret=secret), secret=secret, values={}, problem=None
    )


@router.post("/join/{secret}")
def join_with_form(
    request: Request,
    database: Db,
    web: Web,
    secret: Secret,
    password: Password = "",
    login: Short = "",
    name: Short = "",
    email: Short = "",
) -> Response:
    """Come in as somebody new, or set the password of who the link is for."""
    link = open_link(database, secret=secret)
    person = NewPerson(login=login, name=name, email=email, password=password)
    try:
        joined = _join(database, link, secret=secret, person=person)
    except (InvalidInput, Conflict) as error:
        values = {"login": login, "name": name, "email": email}
        return _again(request, "join.html", error, values=values, link=link, secret=secret)
    return _come_in(request, database, web, joined, flash=f"Welcome, {link.name or name}.")


@router.post("/join/{secret}/as-me")
def join_logged_in(request: Request, database: Db, actor: CurrentActor, secret: Secret) -> Response:
    """Join the course as who is logged in."""
    joined = join_as(database, actor=actor, secret=secret)
    return see_other(_target(joined), request=request, flash="You are a member now.")


def _join(database: Database, link: OpenLink, *, secret: str, person: NewPerson) -> Joined:
    if link.kind is LinkKind.NEW_PERSON:
        return join_as_new(database, person, secret=secret)
    return join_with_password(database, secret=secret, password=person.password)


def _come_in(
    request: Request, database: Database, web: WebContext, joined: Joined, *, flash: str
) -> Response:
    with database.writing() as session:
        token = start_session(
            session,
            user_id=joined.user_id,
            user_agent=agent_of(request),
            settings=web.web,
            now=database.now(session),
        )
    return begin_session(request, token, then=_target(joined), flash=flash)


def _target(joined: Joined) -> str:
    return f"/courses/{joined.course_slug}" if joined.course_slug else "/"


def _again(request: Request, template: str, error: GraderError, **values: object) -> Response:
    """The form once more, with what was typed (but for the password) and what is wrong."""
    problem = problem_of(error)
    return page(request, template, status_code=problem.status, problem=problem, **values)
