"""The web application for tests, over a real database: a course, its people logged in, and graded work.

`web_world` makes it all; its clients behave as browsers do: they keep cookies, and `post` fills in the hidden
field that the site's own forms carry.
"""

# ruff: noqa: ANN401 - options are passed on to what they belong to

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from uuid import UUID

from fastapi import FastAPI
from httpx import Response

from grader.db import models
from grader.db.database import Database
from grader.domain.people import Role
from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.services import grading
from grader.services.access import Actor
from grader.services.accounts.passwords import hash_password
from grader.services.accounts.sessions import start_session
from grader.services.accounts.tokens import create_token
from grader.services.people import enrol, ensure_person
from grader.services.policy import QueuePolicy
from grader.services.settings import Settings
from grader.services.submitting import Receipt
from grader.services.websettings import WebSettings
from grader.web.app import create_app
from grader.web.context import WebContext
from grader.web.security.cookies import Cookie, cookie_name
from grader.web.security.forgery import FIELD
from grader.web.visitors import Visitor
from tests.builders import a_check, an_attempt
from tests.courses import SECRET, SOLUTION, SampleCourse, rubric, sample_course
from tests.storage import open_database

with warnings.catch_warnings():
    # It would rather have a successor of httpx, which nothing else here needs.
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient

SITE = "https://grader.example.edu"
PASSWORD = "correct horse battery staple"

PEOPLE: dict[str, Role | None] = {
    "ines": Role.INSTRUCTOR,
    "tom": Role.TA,
    "ada": Role.STUDENT,
    "ben": Role.STUDENT,
    "sam": None,
}
"""Everybody's login, and their role in the course; Sam is a stranger to it."""


class Browser(TestClient):
    """A client that is somebody, or nobody; forms are sent with the token that the site's pages hold."""

    csrf: str = ""

    def open(self, url: str, **options: Any) -> Response:
        """Open a page, and remember the token of its forms."""
        answer = self.get(url, **options)
        for element in Page(answer.text).all("input"):
            if element.get("name") == FIELD:
                self.csrf = element.get("value") or ""
        return answer

    def send_form(self, url: str, data: Mapping[str, Any] | None = None, **options: Any) -> Response:
        """Post a form as a page of the site would."""
        return self.post(url, data={FIELD: self.csrf, **(data or {})}, **options)


class Page(HTMLParser):
    """A page taken apart: its visible text, and each element with its attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self._words: list[str] = []
        self.feed(html)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self._words).split())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of every element of that kind."""
        return [attributes for name, attributes in self.elements if name == tag]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self._words.append(data)


@dataclass(kw_only=True)
class WebWorld:
    """The application and everybody in it."""

    database: Database
    context: WebContext
    app: FastAPI
    course: SampleCourse
    people: dict[str, Actor]
    _sessions: dict[str, str] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        """The course's."""
        return "jax"

    def visitor(self, **options: Any) -> Browser:
        """A browser of nobody in particular."""
        options.setdefault("follow_redirects", False)
        return Browser(self.app, base_url=SITE, **options)

    def browser(self, login: str, **options: Any) -> Browser:
        """A browser in which that person is logged in."""
        client = self.visitor(**options)
        token = self._session_of(login)
        client.cookies.set(cookie_name(Cookie.SESSION, self.context.web), token)
        client.csrf = Visitor(anchor=token).csrf_token(self.context.secret)
        return client

    def script(self, login: str, **options: Any) -> Browser:
        """A client of the API with that person's token."""
        secret = create_token(self.database, actor=self.people[login], name="test", days=1).secret
        client = self.visitor(**options)
        client.headers["authorization"] = f"Bearer {secret}"
        return client

    def submit(self, login: str, data: bytes = SOLUTION, *, key: str | None = None) -> Receipt:
        """Hand in for somebody; nothing grades it by itself."""
        return self.course.submit(data, user_id=self.people[login].user_id, key=key)

    def grade(self, attempt_id: UUID, result: AttemptResult | None = None) -> None:
        """End an attempt with a result, as a worker would."""
        grading.run(
            attempt_id,
            database=self.database,
            engine=_Judged(result or self.result()),
            cache=self.context.settings.version_cache,
            owner="test:1",
            policy=QueuePolicy(),
        )

    def graded(self, login: str, result: AttemptResult | None = None, data: bytes = SOLUTION) -> Receipt:
        """Hand in for somebody and grade it."""
        receipt = self.submit(login, data)
        self.grade(receipt.attempt_id, result)
        return receipt

    def result(self, **verdicts: Any) -> AttemptResult:
        """A result over the sample assignment's checks, all passed but those named (dots as underscores)."""
        checks = [
            a_check(
                spec.id,
                **verdicts.get(spec.id.replace(".", "_"), {}),
                points=spec.points,
                node_id=spec.node_id,
            )
            for spec in rubric().checks
        ]
        return an_attempt(*checks, assignment="doubling")

    def log_in_anew(self, login: str) -> None:
        """The next browser of theirs has a session of its own."""
        self._sessions.pop(login, None)

    def _session_of(self, login: str) -> str:
        if login not in self._sessions:
            with self.database.writing() as session:
                self._sessions[login] = start_session(
                    session,
                    user_id=self.people[login].user_id,
                    user_agent="test",
                    settings=self.context.web,
                    now=self.database.now(session),
                )
        return self._sessions[login]


class _Judged:
    """An engine that has made up its mind."""

    def __init__(self, result: AttemptResult) -> None:
        self._result = result

    def grade(
        self, _files: SubmittedFiles, assignment: Assignment, *, seed: str, **_options: object
    ) -> AttemptResult:
        return replace(self._result, version=assignment.version, seed=seed)


@contextmanager
def web_world(folder: Path, *, kind: str = "sqlite", **web: Any) -> Iterator[WebWorld]:
    """The application over a fresh database; `web` changes fields of its WebSettings."""
    with open_database(kind) as database:
        context = web_context(database, folder, **web)
        course = sample_course(database, folder / "doubling")
        people = {login: person(database, course, login, role) for login, role in PEOPLE.items()}
        with _application(context) as app:
            yield WebWorld(database=database, context=context, app=app, course=course, people=people)


_idle: dict[WebSettings, list[FastAPI]] = defaultdict(list)


@contextmanager
def _application(context: WebContext) -> Iterator[FastAPI]:
    """The application over that context. Making one takes longer than most tests, so one serves many."""
    idle = _idle[context.web]
    app = idle.pop() if idle else create_app(context)
    app.state.context = context
    yield app
    app.dependency_overrides.clear()
    idle.append(app)


def web_context(database: Database, folder: Path, **web: Any) -> WebContext:
    """A context over that database, with settings of its own."""
    settings = Settings(
        home=folder / "home",
        database_url=str(database.engine.url),
        secret=SECRET.decode(),
        web=replace(WebSettings(url=SITE), **web),
    )
    return WebContext(settings=settings, database=database, secret=SECRET)


def person(database: Database, course: SampleCourse, login: str, role: Role | None) -> Actor:
    """Somebody with an account, in the course where they have a role in it; instructors may make courses."""
    row = ensure_person(database, login=login, name=login.title())
    if role is not None:
        enrol(database, course_id=course.course_id, user_id=row.id, role=role)
    with database.writing() as session:
        session.get_one(models.User, row.id).email = f"{login}@example.edu"
        session.add(
            models.Account(
                user_id=row.id,
                password_hash=_password_hash(),
                may_create_courses=role is Role.INSTRUCTOR,
            )
        )
    return Actor(
        user_id=row.id,
        login=row.login,
        name=row.name,
        may_create_courses=role is Role.INSTRUCTOR,
    )


_hashes: list[str] = []


def _password_hash() -> str:
    """Hashing is slow on purpose; one hash serves all people of all tests."""
    if not _hashes:
        _hashes.append(hash_password(PASSWORD))
    return _hashes[0]
