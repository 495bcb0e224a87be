"""Fields nobody asked for, bodies no parser should see, and tricks in every address and parameter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.domain.attempts import AttemptState
from tests.courses import SOLUTION
from tests.doors import EVERY_ROUTE, Door
from tests.scene import Scene, Standing
from tests.unit.web.test_security import BAD_JSON
from tests.web import WebWorld

UPLOADS = "/api/v1/courses/jax/assignments/doubling"
TEXTS: dict[str, Any] = {"files": [{"name": "submission.py", "text": SOLUTION.decode()}]}

EXTRA = {
    "score": 100,
    "status": "graded",
    "graded_at": "2020-01-01T00:00:00Z",
    "received_at": "2020-01-01T00:00:00Z",
    "user_id": "00000000-0000-0000-0000-000000000000",
    "attempt": 1,
    "number": 7,
    "late": False,
}


@pytest.mark.parametrize("field", EXTRA)
def test_g9_mass_assign_score_a_field_that_is_not_asked_for_is_refused(world: WebWorld, field: str) -> None:
    ada = world.script("ada")
    for body in ({**TEXTS, field: EXTRA[field]}, {"files": [{**TEXTS["files"][0], field: EXTRA[field]}]}):
        answer = ada.post(f"{UPLOADS}/submissions", json=body)
        assert answer.status_code == 422
        assert field in answer.json()["error"]["message"]
    with world.database.reading() as session:
        assert session.scalar(select(func.count()).select_from(models.Submission)) == 0


def test_g9_mass_assign_score_what_a_form_adds_is_not_stored(world: WebWorld) -> None:
    ada = world.browser("ada")
    form = {name: str(value) for name, value in EXTRA.items()}
    answer = ada.send_form(
        "/courses/jax/assignments/doubling/submit", form, files={"files": ("submission.py", SOLUTION)}
    )
    assert answer.status_code == 303
    with world.database.reading() as session:
        (row,) = session.scalars(select(models.Submission))
        (attempt,) = session.scalars(select(models.Attempt))
    assert (row.user_id, row.number) == (world.people["ada"].user_id, 1)
    assert row.received_at.year > 2020
    assert (attempt.state, attempt.score) == (AttemptState.QUEUED, None)


@pytest.mark.parametrize("field", ["role", "is_admin", "may_create_courses", "course_id", "user_id", "login"])
def test_g9_mass_assign_role_nobody_promotes_themselves(world: WebWorld, field: str) -> None:
    ada = world.script("ada")
    mine = {"name": "Ada", "email": None, "timezone": None}
    before = ada.get("/api/v1/me").json()
    assert ada.put("/api/v1/me", json={**mine, field: "instructor"}).status_code == 422
    form = {"name": "Ada", "email": "ada@example.edu", "timezone": "", field: "instructor"}
    assert world.browser("ada").send_form("/account/profile", form).status_code == 303
    assert ada.get("/api/v1/me").json() == before
    assert ada.get("/api/v1/courses/jax/gradebook").status_code == 403


@pytest.mark.parametrize("body", BAD_JSON.values(), ids=BAD_JSON)
def test_g9_json_bombs_are_refused(stage: Scene, body: bytes) -> None:
    for path in (f"{UPLOADS}/check", f"/api/v1/submissions/{stage.mine}/requests"):
        answer = stage.script(Standing.OWNER).post(
            path, content=body, headers={"content-type": "application/json"}
        )
        assert answer.status_code in (400, 413)


# --- every parameter ----------------------------------------------------------------------------------------

INJECTIONS = (
    "' OR 1=1 --",
    "'; DROP TABLE submission; --",
    "score;drop",
    "score desc, (select 1)",
    "1) UNION SELECT password_hash FROM account --",
    "%' ESCAPE '",
    "\\",
    "9" * 400,
    "-1",
    "\u0663",
    "\U0001f600",
)
PATTERNS = ("(a+)+$", "^(a|a?)+$", "(.*)*" * 20, "[" * 500, "a" * 5000 + "!")


def parameters(stage: Scene) -> Iterator[tuple[str, str]]:
    """Each path of the API that takes parameters, and each parameter that it takes."""
    document = stage.world.app.openapi()
    for path, methods in document["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query":
                yield path.format_map(stage.things | {"login": "ada"}), parameter["name"]


def test_g9_sql_injection_no_parameter_is_part_of_a_query(stage: Scene) -> None:
    ines, asked = stage.script(Standing.INSTRUCTOR), 0
    for path, name in parameters(stage):
        for payload in INJECTIONS:
            answer = ines.get(path, params={name: payload})
            assert answer.status_code in (200, 404, 422), f"{path}?{name}={payload}: {answer.text[:200]}"
            assert "$argon2" not in answer.text
            asked += 1
    assert asked > 100


@pytest.mark.parametrize("sort", ["score;drop", "' OR 1=1 --", "password_hash", "name desc", "1", "NAME"])
def test_g9_sql_injection_grades_are_sorted_by_columns_that_there_are(stage: Scene, sort: str) -> None:
    path = "/api/v1/courses/jax/gradebook"
    assert stage.script(Standing.INSTRUCTOR).get(path, params={"sort": sort}).status_code == 422
    assert stage.script(Standing.INSTRUCTOR).get(path, params={"sort": "name"}).status_code == 200


def test_g9_search_regex_dos_no_pattern_of_a_visitor_is_run(stage: Scene) -> None:
    ines = stage.script(Standing.INSTRUCTOR)
    for path, name in parameters(stage):
        for payload in PATTERNS:
            # Run as a pattern, the first would not end before this test is ended.
            assert ines.get(path, params={name: payload}).status_code in (200, 404, 414, 422)


TRICKS = (
    "..",
    "../admin",
    "x;y=1",
    "x.",
    "-1",
    "1e3",
    str(2**31),
    str(2**63),
    "9" * 60,
    "\u0663",
    "0x1",
    " ",
    "*",
    "\u202e",
    "a" * 3000,
    "%",
    "{}",
)


def test_g9_path_param_tricks_are_no_address_and_no_failure(stage: Scene) -> None:
    ines = {True: stage.script(Standing.INSTRUCTOR), False: stage.browser(Standing.INSTRUCTOR)}
    asked = 0
    for request in EVERY_ROUTE:
        if request.method != "GET" or request.door is Door.PUBLIC:
            continue
        for name in request.names:
            for trick in TRICKS:
                things = stage.things | {name: trick}
                address = request.path.format_map(
                    {key: quote(value, safe="") for key, value in things.items()}
                )
                status = ines[request.api].get(address).status_code
                assert status in (200, 303, 403, 404, 405, 422), f"{address}: {status}"
                asked += 1
    assert asked > 500
