from __future__ import annotations

import json
import re
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest

from grader.domain.verdicts import Verdict
from grader.services.counting import Scope, graded_works
from grader.services.reviewing.requests import ask
from tests.courses import SOLUTION
from tests.web import Browser, WebWorld

DOUBLES = "double.values.it_doubles"
NOBODY = UUID(int=1)


@pytest.fixture
def tom(world: WebWorld) -> Browser:
    return world.script("tom")


def submitted(world: WebWorld, login: str = "ada", data: bytes = SOLUTION) -> UUID:
    failed = {"verdict": Verdict.FAILED, "code": "values.differ", "params": {"function": "double"}, "line": 2}
    return world.graded(login, world.result(double_values_it_doubles=failed), data=data).submission_id


def points(world: WebWorld, submission: UUID) -> Fraction | None:
    with world.database.reading() as session:
        return graded_works(session, Scope(submission_ids=[submission]))[0].work.points


def test_a_program_finds_in_the_queue_what_the_page_shows(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    found = tom.get("/api/v1/courses/jax/review?criterion=double.values").json()
    (item,) = found["items"]
    assert (item["submission_id"], item["student"], item["points"]) == (str(submission), "Ada", 3.3333)
    assert (found["found"], found["waiting"], found["after"]) == (1, 1, None)


def test_a_submission_comes_with_report_comments_and_points(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    made = tom.post(
        f"/api/v1/submissions/{submission}/comments",
        json={"text": "Here.", "file": "submission.py", "line": 2, "staff_only": True},
    )
    assert made.status_code == 201
    changed = tom.post(
        f"/api/v1/submissions/{submission}/adjustments",
        json={"points": "5/3", "check_id": DOUBLES, "reason": "A slip.", "version": 1},
    )
    assert (changed.status_code, changed.json()["holds"]) == (201, True)
    found = tom.get(f"/api/v1/submissions/{submission}/review").json()
    assert (found["earned"], found["adjusted_by"], found["points"]) == (3.3333, 1.6667, 5.0)
    assert found["comments"][0]["place"] == {"file": "submission.py", "line": 2, "check_id": None}
    assert found["report"]["audience"] == "staff"
    assert found["review"]["version"] == 2


def test_points_that_are_sent_as_a_number_are_taken_as_written(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    tom.post(
        f"/api/v1/submissions/{submission}/adjustments", json={"points": 0.1, "reason": "Tidy.", "version": 0}
    )
    assert points(world, submission) == Fraction(10, 3) + Fraction(1, 10)


@pytest.mark.parametrize(
    "body",
    [
        {"points": "nan", "reason": "a", "version": 0},
        {"points": "1e3", "reason": "a", "version": 0},
        {"points": 1e300, "reason": "a", "version": 0},
        {"points": True, "reason": "a", "version": 0},
        {"points": "9" * 25, "reason": "a", "version": 0},
        {"points": 1, "reason": "", "version": 0},
        {"points": 1, "reason": "a"},
        {"points": 1, "reason": "a", "version": -1},
        {"points": 1, "reason": "a", "version": 0, "author_id": str(NOBODY)},
        {"points": 1, "reason": "a", "version": 0, "check_id": "no.such.check"},
        {"points": 100, "reason": "a", "version": 0},
    ],
)
def test_a_body_that_makes_no_sense_is_refused(world: WebWorld, tom: Browser, body: dict[str, Any]) -> None:
    submission = submitted(world)
    answer = tom.post(f"/api/v1/submissions/{submission}/adjustments", json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (422, "invalid_input")
    assert points(world, submission) == Fraction(10, 3)


def test_a_number_that_json_does_not_have_is_refused(world: WebWorld, tom: Browser) -> None:
    for number in ("NaN", "Infinity", "9" * 5000):
        answer = tom.post(
            f"/api/v1/submissions/{submitted(world)}/adjustments",
            content=f'{{"points": {number}, "reason": "a", "version": 0}}',
            headers={"content-type": "application/json"},
        )
        assert answer.status_code in {400, 422}


def test_who_has_seen_an_older_version_is_told_so(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    body = {"points": 1, "reason": "Tidy.", "version": 0}
    url = f"/api/v1/submissions/{submission}/adjustments"
    assert tom.post(url, json=body).status_code == 201
    answer = world.script("ines").post(url, json=body)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "edit_conflict")
    assert points(world, submission) == Fraction(13, 3)


def test_a_comment_is_changed_and_deleted(world: WebWorld, tom: Browser) -> None:
    made = tom.post(f"/api/v1/submissions/{submitted(world)}/comments", json={"text": "A."}).json()
    url = f"/api/v1/comments/{made['id']}"
    assert tom.patch(url, json={"text": "B.", "staff_only": False, "version": 1}).json()["version"] == 2
    assert tom.delete(f"{url}?version=1").status_code == 409
    assert tom.delete(f"{url}?version=2").status_code == 204
    assert tom.delete(f"{url}?version=3").status_code == 404


def test_an_adjustment_is_revoked_and_a_review_marked(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    made = tom.post(
        f"/api/v1/submissions/{submission}/adjustments", json={"points": 1, "reason": "a", "version": 0}
    ).json()
    taken = tom.post(f"/api/v1/adjustments/{made['id']}/revoke", json={"reason": "b", "version": 1})
    assert taken.json()["revokes_id"] == made["id"]
    marked = tom.put(f"/api/v1/submissions/{submission}/review", json={"reviewed": True, "version": 2})
    assert (marked.json()["reviewed_by"], marked.json()["version"]) == ("Tom", 3)


def test_a_request_is_answered(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world)
    request = ask(world.database, actor=world.people["ada"], submission_id=submission, text="Please.")
    answer = tom.post(
        f"/api/v1/requests/{request.id}/answer",
        json={"state": "accepted", "text": "Yes.", "points": 1, "version": 1},
    )
    assert (answer.json()["state"], answer.json()["answered_by"]) == ("accepted", "Tom")
    assert points(world, submission) == Fraction(13, 3)


def test_a_cluster_gets_one_comment(world: WebWorld, tom: Browser) -> None:
    submitted(world), submitted(world, "ben")
    (cluster,) = tom.get("/api/v1/courses/jax/assignments/doubling/clusters").json()
    assert (cluster["check_id"], len(cluster["members"])) == (DOUBLES, 2)
    url = f"/api/v1/courses/jax/assignments/doubling/clusters/{cluster['key']}/comments"
    assert tom.post(url, json={"text": "Both."}).json() == {"written": 2, "present": 0}
    assert tom.post(url, json={"text": "Both."}).json() == {"written": 0, "present": 2}


def test_the_bank_is_kept_by_programs_too(tom: Browser) -> None:
    url = "/api/v1/courses/jax/comment-bank"
    made = tom.post(url, json={"title": "Keys", "text": "Split."}).json()
    body = {"title": "Keys", "text": "Split first.", "code": "prng.key_reused", "version": 1}
    assert tom.patch(f"{url}/{made['id']}", json=body).json()["version"] == 2
    assert [entry["text"] for entry in tom.get(f"{url}?code=prng.key_reused").json()] == ["Split first."]
    assert tom.delete(f"{url}/{made['id']}?version=2").status_code == 204
    assert tom.get(url).json() == []


def test_grading_again_is_queued_once(world: WebWorld, tom: Browser) -> None:
    url = f"/api/v1/submissions/{submitted(world)}/attempts"
    first, second = tom.post(url), tom.post(url)
    assert (first.status_code, first.json()["number"], first.json()["state"]) == (202, 2, "queued")
    assert second.status_code == 409


READ = (
    "/courses/jax/review",
    "/submissions/{submission}/review",
    "/courses/jax/assignments/doubling/clusters",
    "/courses/jax/comment-bank",
)
WRITE = (
    ("POST", "/submissions/{submission}/comments", {"text": "a"}),
    ("POST", "/submissions/{submission}/adjustments", {"points": 1, "reason": "a", "version": 0}),
    ("PUT", "/submissions/{submission}/review", {"reviewed": True, "version": 0}),
    ("POST", "/submissions/{submission}/attempts", None),
    ("PATCH", f"/comments/{NOBODY}", {"text": "a", "staff_only": False, "version": 1}),
    ("DELETE", f"/comments/{NOBODY}?version=1", None),
    ("POST", f"/adjustments/{NOBODY}/revoke", {"reason": "a", "version": 1}),
    ("POST", f"/requests/{NOBODY}/answer", {"state": "accepted", "text": "a", "version": 1}),
    ("POST", "/courses/jax/comment-bank", {"title": "a", "text": "a"}),
    ("POST", "/courses/jax/assignments/doubling/clusters/0123456789abcdef/comments", {"text": "a"}),
)


@pytest.mark.parametrize("login", ["ada", "ben", "sam", None])
def test_a_review_is_for_staff_alone(world: WebWorld, login: str | None) -> None:
    submission = submitted(world)
    client = world.visitor() if login is None else world.script(login)
    expected = {401} if login is None else {404} if login == "sam" else {403, 404}
    for path in READ:
        response = client.get(f"/api/v1{path}".format(submission=submission))
        assert response.status_code in expected, path
    for method, path, body in WRITE:
        response = client.request(method, f"/api/v1{path}".format(submission=submission), json=body)
        assert response.status_code in expected, path
    assert points(world, submission) == Fraction(10, 3)


def test_a_blind_reader_gets_no_name_and_can_comment_all_the_same(world: WebWorld, tom: Browser) -> None:
    submission = submitted(world, data=b"# Ada, ada@example.edu\n" + SOLUTION)
    ask(world.database, actor=world.people["ada"], submission_id=submission, text="Ada asks.")
    told = [tom.get(f"/api/v1{path}?blind=true".format(submission=submission)) for path in READ]
    told.append(tom.post(f"/api/v1/submissions/{submission}/attempts"))
    told.append(
        tom.post(f"/api/v1/submissions/{submission}/comments", json={"text": "a", "file": 0, "line": 1})
    )
    for response in told:
        assert response.status_code < 300
        text = json.dumps(response.json(), ensure_ascii=False)
        assert not re.search(r"(?<![A-Za-z0-9])ada(?![A-Za-z0-9])", text, re.IGNORECASE), response.url
