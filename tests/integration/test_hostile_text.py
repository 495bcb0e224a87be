"""Text that acts, in everything that somebody can write, shown harmless wherever it comes out.

A table of payloads by sinks. Every field takes the payload, or refuses it in words; then everything that
anybody can read is read, as everybody who may.
"""

from __future__ import annotations

import csv
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from httpx import Response
from sqlalchemy import select

from grader.db import models
from grader.domain.results import EvidenceKind
from grader.domain.verdicts import Verdict
from tests.builders import evidence
from tests.courses import SOLUTION
from tests.web import Browser, Page, WebWorld, web_world

TAG = "tell-tale"
"""Part of every payload: it shows that a sink was reached."""

PAYLOADS = {
    "script": f"{TAG}<script>alert(1)</script><img src=x onerror=alert(1)>",
    "attribute": f'{TAG}" onmouseover="alert(1)" x=\'',
    "template": f"{TAG}{{{{ 7*7 }}}}{{% raw %}}${{7*7}}",
    "terminal": f"{TAG}\x1b[31m\x1b]0;title\x07\x9b31m",
    "reversed": f"{TAG}\u202egnp.exe\u2066\u2069\u200f",
    "long line": f"{TAG}{'x' * 100_000}",
    "formula": f'=HYPERLINK("http://evil","{TAG}")',
    "tab formula": f"\t=1+{TAG}",
    "markdown": f"[{TAG}](javascript:alert(1)) ![x](http://evil/x.png) <iframe src=http://evil>",
    "zero": f"{TAG}\0end",
    "half a character": f"{TAG}\udc80\ud800end",
    "headers": f"{TAG}\r\nset-cookie: evil=1\r\n\r\n<script>",
    "event": f"{TAG}\n\nevent: state\ndata: evil\n\n",
}

CONTROL = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
REORDERING = re.compile("[\u202a-\u202e\u2066-\u2069\u200e\u200f\u061c]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A course in which somebody wrote the payload wherever they could."""

    world: WebWorld
    payload: str
    submission: str
    other: str


@pytest.fixture(scope="module", params=PAYLOADS.values(), ids=PAYLOADS)
def written(request: pytest.FixtureRequest) -> Iterator[Written]:
    with tempfile.TemporaryDirectory() as folder, web_world(Path(folder)) as world:
        yield write(world, request.param)


def write(world: WebWorld, payload: str) -> Written:
    """Through the API where it takes the payload; what tests and rosters put there, into the database."""
    stored = payload.replace("\0", "").encode("utf-8", "replace").decode("utf-8")
    source = SOLUTION + b"# " + payload.replace("\0", "").encode("utf-8", "surrogatepass") + b"\n"
    first = world.graded("ada", result(world, payload), data=source)
    second = world.graded("ada", result(world, payload), data=source + b"# more\n")
    path = f"/api/v1/submissions/{first.submission_id}"
    ada, tom, ines = (world.script(login) for login in ("ada", "tom", "ines"))
    for client, method, address, body in (
        (ada, "POST", f"{path}/requests", {"text": payload}),
        (ada, "PUT", "/api/v1/me", {"name": payload, "email": None, "timezone": None}),
        (ada, "POST", "/api/v1/me/tokens", {"name": payload, "days": 1}),
        (tom, "POST", f"{path}/comments", {"text": payload}),
        (tom, "POST", f"{path}/comments", {"text": payload, "file": "submission.py", "line": 1}),
        (tom, "POST", "/api/v1/courses/jax/comment-bank", {"title": payload, "text": payload}),
        (ines, "POST", "/api/v1/courses", {"slug": "x", "title": payload, "timezone": "UTC"}),
    ):
        answer = client.request(method, address, content=json.dumps(body), headers=JSON)
        assert answer.status_code in (200, 201, 400, 413, 422), f"{address}: {answer.text[:300]}"
    regrade(world, ines, payload)
    with world.database.writing() as session:
        ada_id = world.people["ada"].user_id
        session.get_one(models.User, ada_id).name = stored
        session.scalars(select(models.Course).where(models.Course.slug == "jax")).one().title = stored
        for assignment in session.scalars(select(models.Assignment)):
            assignment.title = stored
        session.add(
            models.RosterEntry(
                course_id=world.course.course_id, user_id=ada_id, student_number=stored, section=stored
            )
        )
    return Written(
        world=world,
        payload=payload,
        submission=str(first.submission_id),
        other=str(second.submission_id),
    )


JSON = {"content-type": "application/json"}


def regrade(world: WebWorld, ines: Browser, payload: str) -> None:
    """Grade again because of the payload, and let that count; nothing where it is refused as a reason."""
    plans = "/api/v1/courses/jax/assignments/doubling/regrades"
    made = ines.post(plans, content=json.dumps({"reason": payload, "which": "all"}), headers=JSON)
    assert made.status_code in (201, 400, 413, 422), made.text[:300]
    if made.status_code != HTTPStatus.CREATED:
        return
    with world.database.reading() as session:
        attempts = session.scalars(select(models.RegradeItem.attempt_id)).all()
    for attempt_id in attempts:
        world.grade(attempt_id, result(world, payload))
    plan = ines.get(plans).json()[0]
    applied = ines.post(f"{plans}/{plan['id']}/apply", json={"version": plan["version"]})
    assert applied.status_code == HTTPStatus.OK, applied.text


def result(world: WebWorld, payload: str) -> Any:  # noqa: ANN401 - an AttemptResult
    failed = {
        "verdict": Verdict.FAILED,
        "code": "values.differ",
        "params": {"function": payload, "count": 1, "size": 1, "worst": 1.0},
        "line": 1,
        "evidence": (
            evidence(EvidenceKind.OUTPUT, stream="stdout", text=payload, bytes=len(payload)),
            evidence(
                EvidenceKind.ERROR,
                type=payload,
                text=payload,
                frames=[{"line": 1, "function": payload, "text": payload}],
            ),
            evidence(EvidenceKind.JAXPR, text=payload),
        ),
    }
    return world.result(double_values_it_doubles=failed)


PAGES = (
    ("ada", "/"),
    ("ada", "/account"),
    ("ada", "/courses/jax"),
    ("ada", "/courses/jax/assignments/doubling"),
    ("ada", "/submissions/{one}"),
    ("ada", "/submissions/{one}/report.html"),
    ("ada", "/submissions/{one}/receipt"),
    ("ada", "/submissions/{one}/request"),
    ("ada", "/submissions/{one}/diff/{two}"),
    ("tom", "/review/{one}"),
    ("tom", "/courses/jax/review"),
    ("tom", "/courses/jax/review/bank"),
    ("tom", "/courses/jax/review/clusters/doubling"),
    ("ines", "/courses/jax/roster"),
    ("ines", "/courses/jax/roster/members/ada"),
    ("ines", "/courses/jax/gradebook"),
    ("ines", "/courses/jax/students/ada"),
    ("ines", "/courses/jax/dashboard"),
    ("ines", "/courses/jax/assignments/doubling/results"),
    ("ines", "/courses/jax/assignments/doubling/edit"),
    ("ines", "/courses/jax/assignments/doubling/regrades"),
    ("ines", "/courses/jax/settings"),
    ("ines", "/courses/jax/exports"),
)

API = (
    ("ada", "/courses"),
    ("ada", "/courses/jax/assignments/doubling"),
    ("ada", "/submissions/{one}"),
    ("ada", "/submissions/{one}/report"),
    ("ada", "/submissions/{one}/receipt"),
    ("ada", "/submissions/{one}/diff/{two}"),
    ("tom", "/submissions/{one}/review"),
    ("tom", "/courses/jax/review"),
    ("ines", "/courses/jax/assignments/doubling/regrades"),
    ("ines", "/courses/jax/members"),
    ("ines", "/courses/jax/gradebook"),
    ("ines", "/submissions/{one}/results.json"),
)

TABLES = ("gradebook", "canvas", "moodle", "nbgrader")


def read(written: Written, login: str, path: str, *, script: bool = False) -> Response:
    client = (written.world.script if script else written.world.browser)(login)
    answer = client.get(path.format(one=written.submission, two=written.other))
    assert answer.status_code == 200, f"{path}: {answer.text[:300]}"
    for name, value in answer.headers.items():
        assert not CONTROL.search(value), name
        assert "evil=" not in value
    return answer


@pytest.mark.parametrize("login, path", PAGES)
def test_no_page_lets_it_act(written: Written, login: str, path: str) -> None:
    html = read(written, login, path).content.decode("utf-8")
    page = Page(html)
    for tag, attributes in page.elements:
        assert tag not in ("iframe", "object", "embed", "base")
        assert not [name for name in attributes if name.startswith("on")], tag
        for name in ("src", "href", "action", "formaction"):
            value = (attributes.get(name) or "").strip().lower()
            assert not value.startswith(("javascript:", "vbscript:", "http://evil")), value
    assert "<script>alert" not in html
    assert not CONTROL.search(html)
    assert not REORDERING.search(html)
    assert len(html) < 3_000_000


@pytest.mark.parametrize("login, path", API)
def test_no_answer_of_the_api_is_anything_but_json(written: Written, login: str, path: str) -> None:
    answer = read(written, login, f"/api/v1{path}", script=True)
    assert answer.headers["content-type"] == "application/json"
    text = answer.content.decode("utf-8")
    assert not CONTROL.search(text)
    json.loads(text, parse_constant=pytest.fail)


@pytest.mark.parametrize("kind", TABLES)
def test_no_cell_of_an_export_is_a_formula(written: Written, kind: str) -> None:
    answer = read(written, "ines", f"/api/v1/courses/jax/exports/{kind}", script=True)
    rows = list(csv.reader(io.StringIO(answer.content.decode("utf-8"), newline="")))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert not re.match(r"\s*[=@]|\s*[+-](?![\d.]+$)", cell), cell[:80]
        assert not CONTROL.search(cell.replace("\r", "").replace("\n", ""))


@pytest.mark.parametrize(
    "path", ["courses/jax/archive", "me/data", "courses/jax/assignments/doubling/gradescope"]
)
def test_no_name_in_an_archive_leads_elsewhere(written: Written, path: str) -> None:
    login = "ada" if path.startswith("me") else "ines"
    answer = read(written, login, f"/api/v1/{path}", script=True)
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.testzip() is None
        for name in archive.namelist():
            assert not CONTROL.search(name)
            assert not REORDERING.search(name)
            assert ".." not in name.split("/")
            assert not name.startswith("/")
            assert "\\" not in name
            assert all(len(part.encode()) <= 255 for part in name.split("/"))
            if name.endswith(".json"):
                json.loads(archive.read(name))


@pytest.mark.parametrize("prefix", ["/submissions/{one}/files/0", "/api/v1/submissions/{one}/files/0"])
def test_a_file_comes_back_as_it_was_and_is_only_saved(written: Written, prefix: str) -> None:
    answer = read(written, "ada", prefix, script=prefix.startswith("/api"))
    assert TAG.encode() in answer.content
    assert answer.headers["content-disposition"].startswith("attachment;")
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert len(answer.headers["content-disposition"]) < 1000


def test_a_file_so_called_is_taken_or_refused_in_words(written: Written) -> None:
    name = f"{written.payload}.py"
    answer = written.world.script("ada").post(
        "/api/v1/courses/jax/assignments/doubling/check",
        content=json.dumps({"files": [{"name": name, "text": SOLUTION.decode()}]}),
        headers=JSON,
    )
    assert answer.status_code in (200, 400, 422)
    assert not CONTROL.search(answer.content.decode("utf-8"))
    assert len(answer.content) < 100_000


def test_a_stream_of_progress_has_the_events_that_we_sent(written: Written) -> None:
    answer = read(written, "ada", "/submissions/{one}/progress")
    assert "data: evil" not in answer.text
    assert not CONTROL.search(answer.text)


@pytest.mark.parametrize(
    "address", ["/courses/{text}", "/join/{text}", "/login?next={text}", "/api/v1/courses/{text}"]
)
def test_no_error_repeats_it_so_that_it_acts(written: Written, address: str) -> None:
    text = quote(written.payload[:200].encode("utf-8", "surrogatepass"))
    answer = written.world.visitor().get(address.format(text=text))
    assert answer.status_code < 500
    assert "<script>alert" not in answer.text
    assert not CONTROL.search(answer.content.decode("utf-8"))


def test_it_is_really_there(written: Written) -> None:
    """The tests above could not fail if nothing of it came through."""
    assert TAG in read(written, "tom", "/review/{one}").text
    assert TAG in read(written, "ada", "/submissions/{one}").text
    assert TAG in read(written, "ines", "/courses/jax/gradebook").text
