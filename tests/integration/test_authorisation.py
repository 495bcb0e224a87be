"""Every route is asked by everybody: who is let in is exactly what the table in `tests.doors` says."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from fastapi.routing import iter_route_contexts
from httpx import Response
from sqlalchemy import select

from grader.db import models
from grader.db.base import Base
from grader.db.database import Database
from tests.courses import SOLUTION
from tests.doors import API, EVERY_ROUTE, PAGES, Door, Outcome, Request
from tests.scene import Scene, Standing, scene
from tests.web import FIELD, Browser

OUTSIDE_THE_DOCUMENT = "/api/v1/openapi.json"
MOVES_BY_ITSELF = {
    models.LoginSession: {"last_seen_at"},
    models.ApiToken: {"last_used_at"},
    models.LoginFailure: {"id", "key", "at"},
}
"""Columns that being asked changes, whatever is answered."""


@pytest.fixture(scope="module")
def stage() -> Iterator[Scene]:
    with scene() as made:
        yield made


# --- the table is whole -------------------------------------------------------------------------------------


def test_every_route_is_in_the_table_and_nothing_else_is(stage: Scene) -> None:
    there = {
        (method, path)
        for route in iter_route_contexts(stage.world.app.routes)
        if (path := getattr(route, "path", None))
        for method in getattr(route, "methods", None) or ()
        if method != "HEAD"
    }
    named = [(request.method, templated(request.path)) for request in EVERY_ROUTE]
    assert set(named) == there
    assert len(named) == len(there)


def test_the_api_is_described_whole(stage: Scene) -> None:
    document = stage.world.visitor().get(OUTSIDE_THE_DOCUMENT).json()
    described = {(method.upper(), path) for path, methods in document["paths"].items() for method in methods}
    assert described == {
        (request.method, templated(request.path)) for request in API if request.path != OUTSIDE_THE_DOCUMENT
    }


def templated(path: str) -> str:
    """A path as its route has it; one student is always the same."""
    return path.replace("/students/ada", "/students/{login}")


# --- the walk -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("standing", Standing)
def test_whoever_is_kept_out_learns_nothing_and_changes_nothing(stage: Scene, standing: Standing) -> None:
    things = things_of(stage, standing)
    clients = clients_of(stage, standing)
    before = contents(stage.world.database)
    wrong = [
        found
        for request in EVERY_ROUTE
        if (wanted := expected(request, standing)) is not Outcome.IN
        for client in clients[request.api]
        if (found := mismatch(request, client, things, wanted))
    ]
    assert wrong == []
    assert contents(stage.world.database) == before


@pytest.mark.parametrize("standing", Standing)
def test_whoever_may_is_let_in(stage: Scene, standing: Standing) -> None:
    clients = clients_of(stage, standing)
    wrong = []
    for request in EVERY_ROUTE:
        if expected(request, standing) is not Outcome.IN:
            continue
        for client in clients[request.api]:
            things = stage.fresh(request.names, standing) if request.changes else things_of(stage, standing)
            if found := mismatch(request, client, things, Outcome.IN):
                wrong.append(found)
    assert wrong == []


def test_nobody_is_everywhere_refused_and_each_is_refused_somewhere() -> None:
    """A table of nothing but one outcome would prove nothing."""
    for standing in Standing:
        outcomes = Counter(expected(request, standing) for request in EVERY_ROUTE)
        assert outcomes[Outcome.IN], standing
        assert len(outcomes) > 1, standing


def test_what_is_kept_from_somebody_is_answered_like_what_is_not_there(stage: Scene) -> None:
    nothing = {name: "00000000-0000-4000-8000-000000000000" for name in stage.things if name.endswith("_id")}
    for standing in (Standing.OTHER, Standing.STRANGER):
        clients = clients_of(stage, standing)
        for request in EVERY_ROUTE:
            if expected(request, standing) is not Outcome.HIDDEN or request.door is Door.NOBODY:
                continue
            course = {} if standing is Standing.OTHER else {"course": "no-such-course"}
            for client in clients[request.api]:
                real = told(ask(request, client, stage.things), stage.things)
                made_up = {**stage.things, **nothing, **course}
                assert real == told(ask(request, client, made_up), made_up), f"{standing}: {request}"


# --- cookies and tokens -------------------------------------------------------------------------------------


def test_a_token_opens_no_page_and_sends_no_form(stage: Scene) -> None:
    script = stage.script(Standing.INSTRUCTOR)
    for request in PAGES:
        if request.door in (Door.PUBLIC, Door.NOBODY):
            continue
        assert outcome(ask(request, script, stage.things)) in (Outcome.LOGIN, Outcome.DENIED), str(request)


@pytest.mark.parametrize("standing", [Standing.OWNER, Standing.TA, Standing.INSTRUCTOR])
def test_no_browser_changes_anything_without_the_pages_token(stage: Scene, standing: Standing) -> None:
    browser = stage.browser(standing)
    browser.csrf = ""
    before = contents(stage.world.database)
    for request in EVERY_ROUTE:
        if request.changes:
            assert ask(request, browser, stage.things).status_code == 403, str(request)
    assert contents(stage.world.database) == before


def test_no_route_of_the_api_takes_what_a_form_of_another_site_can_send(stage: Scene) -> None:
    script = stage.script(Standing.INSTRUCTOR)
    for request in API:
        if request.changes and not request.file:
            answer = script.request(
                request.method,
                filled(request.path, stage.things),
                content=b'{"version": 1}',
                headers={"content-type": "text/plain"},
            )
            assert answer.status_code == 415, str(request)


# --- asking -------------------------------------------------------------------------------------------------


def expected(request: Request, standing: Standing) -> Outcome:
    rule: Mapping[Standing, Outcome] = request.door.value
    if (
        standing is Standing.CLOSED
        and request.changes
        and not request.api
        and request.door is not Door.PUBLIC
    ):
        return Outcome.DENIED  # the form is bound to a session that is over
    return rule[standing]


def things_of(stage: Scene, standing: Standing) -> dict[str, str]:
    """What somebody tries: Ada's things; Dora, who has left, her own submission."""
    if standing is Standing.DROPPED:
        return {**stage.things, "submission_id": str(stage.doras), "other_id": str(stage.doras)}
    return stage.things


def clients_of(stage: Scene, standing: Standing) -> dict[bool, list[Browser]]:
    """How somebody asks: pages with a browser, the API with a browser and with a token."""
    browser = stage.browser(standing)
    return {False: [browser], True: [browser, stage.script(standing)]}


def mismatch(request: Request, client: Browser, things: Mapping[str, str], wanted: Outcome) -> str:
    """What is wrong with the answer, or nothing."""
    answer = ask(request, client, things)
    found = Outcome.IN if request.door is Door.PUBLIC and answer.status_code < 500 else outcome(answer)
    if found is wanted and answer.status_code < 500:
        return ""
    how = "token" if "authorization" in client.headers else "cookie"
    return f"{request} by {how}: {answer.status_code}, wanted {wanted}: {answer.text[:120]!r}"


def ask(request: Request, client: Browser, things: Mapping[str, str]) -> Response:
    options: dict[str, Any] = {"params": request.query}
    if request.file:
        options["files"] = {request.file: ("submission.py", SOLUTION)}
    if request.form is not None:
        form = {name: filled(value, things) for name, value in request.form.items()}
        options["data"] = form if request.api else {FIELD: client.csrf, **form}
    if request.json is not None:
        options["json"] = with_things(request.json, things)
    if request.api and client.csrf and "authorization" not in client.headers:
        options["headers"] = {"x-csrf-token": client.csrf}
    return client.request(request.method, filled(request.path, things), **options)


def with_things(value: Any, things: Mapping[str, str]) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, str):
        return filled(value, things)
    if isinstance(value, dict):
        return {key: with_things(item, things) for key, item in value.items()}
    return value


def filled(text: str, things: Mapping[str, str]) -> str:
    return re.sub(r"\{(\w+)\}", lambda match: things[match[1]], text)


def outcome(answer: Response) -> Outcome:
    location = answer.headers.get("location", "")
    if answer.status_code == 401 or location.startswith("/login"):
        return Outcome.LOGIN
    if answer.status_code == 403:
        return Outcome.DENIED
    if answer.status_code == 404:
        return Outcome.HIDDEN
    return Outcome.IN


def told(answer: Response, things: Mapping[str, str]) -> tuple[int, str]:
    """An answer without what differs between any two: the request's number, and what was asked for."""
    text = answer.text
    for value in (answer.headers["x-request-id"], *things.values()):
        if len(value) > 1:
            text = text.replace(value, "…")
    return answer.status_code, text


def contents(database: Database) -> dict[str, str]:
    """A digest of every table, but for what moves by itself."""
    moving = {model.__tablename__: columns for model, columns in MOVES_BY_ITSELF.items()}
    found = {}
    with database.reading() as session:
        for table in Base.metadata.sorted_tables:
            columns = [column for column in table.c if column.name not in moving.get(table.name, ())]
            if not columns:
                continue
            rows = sorted(repr(tuple(row)) for row in session.execute(select(*columns)))
            found[table.name] = hashlib.sha256("\n".join(rows).encode("utf-8", "replace")).hexdigest()
    return found
