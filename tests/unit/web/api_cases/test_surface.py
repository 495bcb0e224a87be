"""What there is no way in to, and what answers look like whatever is asked."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
import yaml
from sqlalchemy import select

from grader.db import models
from grader.domain.attempts import AttemptState, RunOutcome
from grader.services import reading
from grader.services.leases import Lease
from grader.services.settings import Settings
from grader.services.settling import settle_graded
from tests.courses import SOLUTION
from tests.doors import EVERY_ROUTE
from tests.scene import Scene, Standing
from tests.students import a_result
from tests.web import Browser, Page, WebWorld, web_world
from workers.app import RUN_ATTEMPT, RUN_GATE, make_app

COMPOSE = yaml.safe_load(Path("docker-compose.yml").read_text(encoding="utf-8"))
DOUBLING = "/api/v1/courses/jax/assignments/doubling"


# --- workers, queues, addresses that others choose ----------------------------------------------------------


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
@pytest.mark.parametrize(
    "path", ["result", "results", "attempts/1/result", "report", "grade", "score", "results.json"]
)
def test_g9_result_callback_forgery_no_address_takes_a_result(stage: Scene, method: str, path: str) -> None:
    """Workers write to the database; the web has no way in for results, for anybody."""
    for standing in (Standing.OWNER, Standing.INSTRUCTOR):
        answer = stage.script(standing).request(
            method, f"/api/v1/submissions/{stage.mine}/{path}", json={"score": 100}
        )
        assert answer.status_code in (404, 405)
    assert not [route for route in EVERY_ROUTE if re.search("callback|worker|/lease", route.path)]


def test_g9_result_callback_forgery_a_result_needs_the_runs_own_token(world: WebWorld) -> None:
    receipt = world.submit("ada")
    made_up = Lease(
        attempt_id=receipt.attempt_id,
        submission_id=receipt.submission_id,
        token=uuid4(),
        **_rest_of(receipt.attempt_id, world),
    )
    source = reading.files_of(world.database, receipt.submission_id)
    assert settle_graded(world.database, made_up, a_result(), source=source) is not RunOutcome.GRADED
    with world.database.reading() as session:
        assert session.get_one(models.Attempt, receipt.attempt_id).state is AttemptState.QUEUED


def _rest_of(attempt_id: UUID, world: WebWorld) -> dict[str, Any]:
    """What else a lease says; true here, which helps a forger nothing."""
    with world.database.reading() as session:
        attempt = session.get_one(models.Attempt, attempt_id)
        return {"version_id": attempt.version_id, "seed": attempt.seed, "tries": 1, "time_limit_s": 30.0}


def test_g9_task_injection_messages_name_a_task_of_ours_and_an_id(stage: Scene) -> None:
    settings = Settings(home=Path("/nowhere"), database_url="sqlite://", broker_url="redis://localhost/0")
    app = make_app(settings)
    assert app.conf.accept_content == ["json"]
    assert (app.conf.task_serializer, app.conf.result_serializer) == ("json", "json")
    assert {RUN_ATTEMPT, RUN_GATE} == {"grader.run_attempt", "grader.run_gate"}
    hostile = "x'); __import__('os').system('id') #.py"
    files = {"files": (hostile, SOLUTION, "application/x-python-pickle")}
    assert stage.script(Standing.OWNER).post(f"{DOUBLING}/uploads", files=files).status_code == 201
    with stage.world.database.reading() as session:
        for message in session.scalars(select(models.OutboxMessage)):
            values = [getattr(message, column.name) for column in models.OutboxMessage.__table__.c]
            assert not [value for value in values if hostile in str(value)]


def test_g9_ssrf_import_nothing_fetches_what_somebody_names(stage: Scene) -> None:
    document = stage.world.app.openapi()
    asked_for = set()
    for schema in document["components"]["schemas"].values():
        for name, field in schema.get("properties", {}).items():
            assert field.get("format") not in ("uri", "url", "iri"), name
            asked_for.add(name)
    assert not asked_for & {"url", "uri", "webhook", "callback", "remote", "import_url", "git_url"}
    ines = stage.script(Standing.INSTRUCTOR)
    for address in ("http://127.0.0.1:1/x", "http://169.254.169.254/latest", "file:///etc/passwd"):
        answer = ines.post("/api/v1/courses/jax/publications", files={"file": ("x.zip", address.encode())})
        assert answer.status_code == 422
        assert "passwd" not in answer.text.replace(address, "")


@pytest.mark.parametrize(
    "path", ["/webhook", "/webhooks", "/hooks", "/api/v1/webhooks", "/api/v1/hooks/grades"]
)
def test_g9_webhook_replay_no_address_takes_webhooks(stage: Scene, path: str) -> None:
    for client in (stage.script(Standing.INSTRUCTOR), stage.world.visitor()):
        headers = {"x-signature": "t=1,v1=" + "0" * 64, "content-type": "application/json"}
        assert client.post(path, content=b"{}", headers=headers).status_code == 404
    assert not [route for route in EVERY_ROUTE if "hook" in route.path]


def test_g9_redis_exposure_only_the_web_server_is_published_and_on_its_own_host() -> None:
    services = COMPOSE["services"]
    published = {name: service["ports"] for name, service in services.items() if "ports" in service}
    assert published == {"web": ["127.0.0.1:8000:8000"]}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    for name in ("db", "broker"):
        assert services[name]["networks"] == ["inside"]
    assert "${GRADER_DB_PASSWORD:?" in services["db"]["environment"]["POSTGRES_PASSWORD"]
    assert not {"flower", "adminer", "pgadmin", "redis-commander"} & services.keys()


@pytest.mark.parametrize(
    "path",
    [
        "/docs",
        "/redoc",
        "/openapi.json",
        "/metrics",
        "/flower",
        "/.env",
        "/.git/config",
        "/console",
        "/debug",
        "/server-status",
        "/admin",
        "/phpinfo.php",
        "/actuator/env",
        "/static/../app.py",
        "/__debug__",
    ],
)
def test_g9_debug_pages_nothing_of_the_inside_has_an_address(stage: Scene, path: str) -> None:
    answer = stage.browser(Standing.INSTRUCTOR).get(path)
    assert answer.status_code == 404
    assert "Traceback" not in answer.text


def test_g9_debug_pages_a_failure_is_a_number_and_no_details(
    world: WebWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("inside: password=hunter2")

    monkeypatch.setattr("grader.web.api.coursework.courses_of", fail)
    answer = world.script("ada").get("/api/v1/courses")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] == answer.json()["error"]["request_id"]
    assert "hunter2" not in answer.text
    assert "RuntimeError" not in answer.text


# --- what answers are ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "accept", ["text/html", "application/xml", "*/*", "image/png", "application/javascript"]
)
def test_g9_report_format_confusion_an_address_has_one_kind_of_answer(stage: Scene, accept: str) -> None:
    path = f"/submissions/{stage.mine}"
    for client, prefix, kind in (
        (stage.script(Standing.OWNER), "/api/v1", "application/json"),
        (stage.browser(Standing.OWNER), "", "text/html; charset=utf-8"),
    ):
        for query in ("", "?callback=alert", "?jsonp=alert", "?format=html"):
            answer = client.get(f"{prefix}{path}{query}", headers={"accept": accept})
            assert answer.headers["content-type"] == kind
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert not answer.text.startswith("alert")


@pytest.mark.parametrize("suffix", [".json", ".html", ".xml", ".js", "/report.json", ";.js", "/.json"])
def test_g9_report_format_confusion_a_suffix_makes_no_other_kind(stage: Scene, suffix: str) -> None:
    assert stage.browser(Standing.OWNER).get(f"/submissions/{stage.mine}{suffix}").status_code == 404
    assert stage.script(Standing.OWNER).get(f"/api/v1/submissions/{stage.mine}{suffix}").status_code == 404


MARKUP = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'><svg/onload=alert(3)>"


@pytest.fixture(scope="module")
def marked_up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebWorld]:
    """A course in which everything that somebody writes is markup."""
    with web_world(tmp_path_factory.mktemp("marked-up")) as world:
        receipt = world.course.submit(
            SOLUTION + f"# {MARKUP}\n".encode(), user_id=world.people["ada"].user_id
        )
        world.grade(receipt.attempt_id)
        ines, tom, ada = world.script("ines"), world.script("tom"), world.script("ada")
        settings = ines.get("/api/v1/courses/jax/settings").json()
        wanted = {"title": MARKUP, "timezone": "UTC", "grace_days": 0, "version": settings["version"]}
        assert ines.put("/api/v1/courses/jax/settings", json=wanted).status_code == 200
        path = f"/api/v1/submissions/{receipt.submission_id}"
        assert tom.post(f"{path}/comments", json={"text": MARKUP}).status_code == 201
        assert ada.post(f"{path}/requests", json={"text": MARKUP}).status_code == 201
        assert (
            ada.put("/api/v1/me", json={"name": MARKUP[:150], "email": None, "timezone": None}).status_code
            == 200
        )
        kept = {"title": MARKUP, "text": MARKUP}
        assert ines.post("/api/v1/courses/jax/comment-bank", json=kept).status_code == 201
        yield world


PAGES = [
    ("ada", "/"),
    ("ada", "/courses/jax"),
    ("ada", "/courses/jax/assignments/doubling"),
    ("ada", "/submissions/{id}"),
    ("ada", "/submissions/{id}/report.html"),
    ("ada", "/submissions/{id}/receipt"),
    ("tom", "/review/{id}"),
    ("tom", "/courses/jax/review"),
    ("tom", "/courses/jax/review/bank"),
    ("ines", "/courses/jax/gradebook"),
    ("ines", "/courses/jax/roster"),
    ("ines", "/courses/jax/students/ada"),
    ("ines", "/courses/jax/settings"),
    ("ines", "/courses/jax/dashboard"),
]


@pytest.mark.parametrize("login, path", PAGES)
def test_g9_xss_everywhere_what_people_write_is_text(marked_up: WebWorld, login: str, path: str) -> None:
    answer = marked_up.browser(login).get(path.format(id=only_submission(marked_up)))
    assert answer.status_code == 200
    page = Page(answer.text)
    assert not [tag for tag, _ in page.elements if tag in ("iframe", "object", "embed", "base")]
    for tag, attributes in page.elements:
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "action"):
            value = attributes.get(name) or ""
            assert not re.match(r"(?i)\s*(javascript|vbscript|https?):", value), value
    assert "<script>alert" not in answer.text
    assert "<svg/onload" not in answer.text
    if not path.endswith("report.html"):  # which is a file to keep, and carries its own style
        assert all("src" in script for script in page.all("script"))
        assert "unsafe" not in answer.headers["content-security-policy"]


def test_g9_xss_everywhere_the_markup_is_really_shown(marked_up: WebWorld) -> None:
    page = marked_up.browser("tom").get(f"/review/{only_submission(marked_up)}")
    assert MARKUP in Page(page.text).text


def only_submission(world: WebWorld) -> UUID:
    with world.database.reading() as session:
        return session.scalars(select(models.Submission.id)).one()


FORMULAS = ["=1+1", "+2+3", "-2+3", "@SUM(A1)", "\t=1", "\r=1", '=HYPERLINK("http://evil")', "\uff1d1+1"]


@pytest.mark.parametrize("formula", FORMULAS)
def test_g9_csv_export_formula_no_cell_is_a_formula(world: WebWorld, formula: str) -> None:
    ines: Browser = world.script("ines")
    with world.database.writing() as session:
        user = session.get_one(models.User, world.people["ada"].user_id)
        user.name = user.email = formula
        session.add(
            models.RosterEntry(
                course_id=world.course.course_id,
                user_id=user.id,
                student_number=formula,
                section=formula,
            )
        )
    for kind in ("gradebook", "canvas", "moodle", "nbgrader"):
        answer = ines.get(f"/api/v1/courses/jax/exports/{kind}")
        assert answer.status_code == 200
        rows = list(csv.reader(io.StringIO(answer.text, newline="")))
        cells = [cell for row in rows for cell in row if formula.strip() in cell]
        assert cells, kind
        assert not [cell for cell in cells if cell.lstrip("\t\r\n ")[:1] in ("=", "+", "-", "@", "\uff1d")]
