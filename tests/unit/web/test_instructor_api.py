"""What instructors do, through the API: every answer is what the services say, for whom it is meant."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from grader.domain.verdicts import Verdict
from grader.services.policy import QueuePolicy
from grader.services.publication.running import run
from tests.courses import write_assignment
from tests.engines import TextEngine
from tests.unit.services.test_publication import by_what_is_written, zipped
from tests.web import Browser, WebWorld

FAILED = {"verdict": Verdict.FAILED, "code": "values.differ"}
COURSE = "/api/v1/courses/jax"
DOUBLING = f"{COURSE}/assignments/doubling"
ROSTER = b"login,name,section\nada,Ada,Monday\ncarl,Carl Gauss,Monday\n"
CANVAS = b"Student,ID,SIS User ID,SIS Login ID,Section,Doubling (4711)\nAda,17,,ada,Monday,\n"


@pytest.fixture
def ines(world: WebWorld) -> Browser:
    return world.script("ines")


def send(client: Browser, method: str, path: str, **json_body: Any) -> Any:  # noqa: ANN401 - JSON
    answer = client.request(method, path, json=json_body or ({} if method == "POST" else None))
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def test_a_course_is_made_and_its_settings_are_changed_by_version(ines: Browser) -> None:
    made = send(ines, "POST", "/api/v1/courses", slug="jax-2", title="JAX 2", timezone="Europe/Zurich")
    wanted = {"title": "JAX II", "timezone": "UTC", "grace_days": 3}
    path = "/api/v1/courses/jax-2/settings"
    assert send(ines, "PUT", path, version=made["version"], **wanted)["grace_days"] == 3
    again = ines.put(path, json={"version": made["version"], **wanted})
    assert (again.status_code, again.json()["error"]["code"]) == (409, "edit_conflict")


def test_only_who_may_makes_courses(world: WebWorld) -> None:
    body = {"slug": "mine", "title": "Mine", "timezone": "UTC"}
    assert world.script("ada").post("/api/v1/courses", json=body).status_code == 403


def test_a_roster_is_previewed_and_then_imported(ines: Browser) -> None:
    preview = ines.post(f"{COURSE}/roster/preview", files={"file": ("r.csv", ROSTER)}).json()
    assert [change["kind"] for change in preview["changes"]] == ["changed", "new"]
    fields = {"fingerprint": preview["fingerprint"]}
    done = ines.post(f"{COURSE}/roster", files={"file": ("r.csv", ROSTER)}, data=fields)
    assert done.json() == {"added": 1, "changed": 1, "removed": 0}
    repeated = ines.post(f"{COURSE}/roster", files={"file": ("r.csv", ROSTER)}, data=fields)
    assert repeated.status_code == 409
    assert "carl" in {member["login"] for member in send(ines, "GET", f"{COURSE}/members")}


def test_members_are_changed_and_removed(ines: Browser) -> None:
    wanted = {"role": "student", "extra_days": 2, "section": "Monday"}
    changed = send(ines, "PUT", f"{COURSE}/members/ada", version=1, **wanted)
    assert (changed["extra_days"], changed["section"], changed["version"]) == (2, "Monday", 2)
    send(ines, "DELETE", f"{COURSE}/members/ada")
    assert ines.put(f"{COURSE}/members/ada", json={"version": 2, "role": "student"}).status_code == 404


def test_a_member_whom_somebody_else_has_changed_is_not_overwritten(ines: Browser) -> None:
    send(ines, "PUT", f"{COURSE}/members/ada", version=1, role="student", section="Monday")
    late = ines.put(f"{COURSE}/members/ada", json={"version": 1, "role": "student", "section": "Friday"})
    assert (late.status_code, late.json()["error"]["code"]) == (409, "edit_conflict")
    [ada] = [member for member in send(ines, "GET", f"{COURSE}/members") if member["login"] == "ada"]
    assert ada["section"] == "Monday"


def test_dates_are_set_and_grades_released(ines: Browser) -> None:
    dates = {
        "due_at": "2027-01-01T23:59:00+01:00",
        "late_rule": "per_day",
        "late_share_per_day": 0.1,
        "counting": "last",
    }
    changed = send(ines, "PUT", f"{DOUBLING}/schedule", version=1, **dates)
    assert (changed["due_at"], changed["late_share_per_day"]) == ("2027-01-01T22:59:00Z", 0.1)
    released = send(ines, "POST", f"{DOUBLING}/release", version=changed["version"])
    assert released["released_at"] is not None
    back = send(ines, "POST", f"{DOUBLING}/take-back", version=released["version"])
    assert back["released_at"] is None


def test_a_share_without_its_rule_is_refused(ines: Browser) -> None:
    answer = ines.put(f"{DOUBLING}/schedule", json={"version": 1, "late_share_per_day": 0.1})
    assert answer.status_code == 422
    assert "late work loses no points" in answer.text


def test_a_time_without_a_zone_is_refused(ines: Browser) -> None:
    answer = ines.put(f"{DOUBLING}/schedule", json={"version": 1, "due_at": "2027-01-01T23:59:00"})
    assert answer.status_code == 422
    assert answer.json()["error"]["fields"][0]["field"] == "due_at"


def test_an_extension_is_granted_listed_and_taken_back(ines: Browser) -> None:
    send(ines, "PUT", f"{DOUBLING}/schedule", version=1, due_at="2027-01-01T00:00:00Z")
    more = {"login": "ada", "due_at": "2027-01-02T00:00:00Z", "reason": "Ill."}
    made = send(ines, "POST", f"{DOUBLING}/extensions", **more)
    send(ines, "DELETE", f"{COURSE}/extensions/{made['id']}")
    [seen] = send(ines, "GET", f"{DOUBLING}/extensions")
    assert seen["revoked_at"] is not None


def test_a_folder_is_published_and_its_versions_are_compared(
    world: WebWorld, ines: Browser, tmp_path: Path
) -> None:
    folder = write_assignment(tmp_path / "upload", lesson="More.\n").root
    files = {"file": ("hw.zip", zipped(folder))}
    made = ines.post(f"{COURSE}/publications", files=files).json()
    assert made["state"] == "queued"
    run(
        UUID(made["id"]), database=world.database, engine=TextEngine(by_what_is_written), policy=QueuePolicy()
    )
    seen = send(ines, "GET", f"{COURSE}/publications/{made['id']}")
    assert (seen["state"], seen["version_number"], seen["gate"]["passed"]) == ("published", 2, True)
    newest, _ = send(ines, "GET", f"{DOUBLING}/versions")
    assert newest["changes"] == [{"path": "lesson.md", "change": "changed"}]


def test_a_regrade_is_planned_looked_at_applied_and_undone(world: WebWorld, ines: Browser) -> None:
    world.graded("ada", world.result(half_values_it_halves=FAILED))
    plan = send(ines, "POST", f"{DOUBLING}/regrades", reason="The tolerance.")
    changes = send(ines, "GET", f"{DOUBLING}/regrades/{plan['id']}")
    world.grade(UUID(changes["rows"][0]["attempt_id"]))
    changes = send(ines, "GET", f"{DOUBLING}/regrades/{plan['id']}")
    [row] = changes["rows"]
    assert (row["login"], row["before"], row["after"], row["delta"]) == ("ada", 3.0, 5.0, 2.0)
    assert [check["cause"] for check in row["checks"]] == ["verdict"]
    path, version = f"{DOUBLING}/regrades/{plan['id']}", changes["plan"]["version"]
    applied = send(ines, "POST", f"{path}/apply", version=version)
    assert applied["state"] == "applied"
    assert ines.post(f"{path}/undo", json={"version": version}).status_code == 409
    assert send(ines, "POST", f"{path}/undo", version=applied["version"])["state"] == "undone"


def test_the_gradebook_and_a_students_record_agree(world: WebWorld, ines: Browser) -> None:
    receipt = world.graded("ada")
    book = send(ines, "GET", f"{COURSE}/gradebook?sort=total&descending=true")
    ada = book["students"][0]
    assert (ada["login"], ada["total"], book["max_total"]) == ("ada", 5.0, 5.0)
    assert ada["cells"]["doubling"]["submission_id"] == str(receipt.submission_id)
    record = send(ines, "GET", f"{COURSE}/students/ada")
    assert record["assignments"][0]["points"] == 5.0
    assert "There is no deadline." in record["assignments"][0]["ledger"]


@pytest.mark.parametrize("kind", ["gradebook", "canvas", "moodle", "nbgrader"])
def test_grades_are_exported(world: WebWorld, ines: Browser, kind: str) -> None:
    world.graded("ada")
    answer = ines.get(f"{COURSE}/exports/{kind}")
    assert answer.headers["content-disposition"].startswith(f'attachment; filename="jax-{kind}.csv"')
    assert '"ada"' in answer.text
    assert '"5"' in answer.text


def test_canvass_own_export_gives_its_ids_and_titles(world: WebWorld, ines: Browser) -> None:
    world.graded("ada")
    answer = ines.post(f"{COURSE}/exports/canvas", files={"file": ("canvas.csv", CANVAS)})
    header, _, ada = answer.text.splitlines()
    assert header.endswith('"Doubling (4711)"')
    assert ada == '"Ada","17","","ada","Monday","5"'


def test_gradescopes_results_are_a_file_and_a_zip(world: WebWorld, ines: Browser) -> None:
    receipt = world.graded("ada")
    one = send(ines, "GET", f"/api/v1/submissions/{receipt.submission_id}/results.json")
    assert one["score"] == 5.0
    archive = zipfile.ZipFile(io.BytesIO(ines.get(f"{DOUBLING}/gradescope").content))
    assert json.loads(archive.read("ada-1/results.json")) == one


def test_a_course_and_a_person_leave_as_archives(world: WebWorld, ines: Browser) -> None:
    world.graded("ada")
    course = zipfile.ZipFile(io.BytesIO(ines.get(f"{COURSE}/archive").content))
    assert {"manifest.json", "submissions.jsonl", "attempts.jsonl"} <= set(course.namelist())
    mine = zipfile.ZipFile(io.BytesIO(world.script("ada").get("/api/v1/me/data").content))
    assert "reports/jax/doubling-1.json" in mine.namelist()


def test_the_dashboard_and_the_health_are_there(world: WebWorld, ines: Browser) -> None:
    world.graded("ada", world.result(half_values_it_halves=FAILED))
    found = send(ines, "GET", f"{DOUBLING}/dashboard")
    assert (found["started"], found["submissions"]) == (1, 1)
    assert found["criteria"][0] == {"id": "half.values", "failed": 1, "judged": 1, "rate": 1.0}
    assert [lane["lane"] for lane in send(ines, "GET", f"{COURSE}/health")["lanes"]] == [
        "interactive", "bulk", "interactive", "bulk",
    ]  # fmt: skip


def test_what_stranded_is_started_again_once(world: WebWorld, ines: Browser) -> None:
    receipt = world.submit("ada")
    world.grade(receipt.attempt_id, world.result(half_values_it_halves={"verdict": Verdict.SKIPPED}))
    [stranded] = send(ines, "GET", f"{COURSE}/health")["stranded"]
    assert (stranded["login"], stranded["state"]) == ("ada", "not_graded")
    assert send(ines, "POST", f"{COURSE}/requeue") == {"requeued": 1}
    assert send(ines, "GET", f"{COURSE}/health")["lanes"][0]["queued"] == 1
    again = ines.post(f"{COURSE}/requeue", json={"attempt_ids": [str(receipt.attempt_id)]})
    assert again.status_code == 409
    assert ines.post(f"{COURSE}/requeue", json={"attempt_ids": [str(uuid4())]}).status_code == 404


READ: tuple[str, ...] = (
    f"{COURSE}/settings",
    f"{COURSE}/members",
    f"{COURSE}/gradebook",
    f"{COURSE}/students/ada",
    f"{COURSE}/health",
    f"{COURSE}/publications",
    f"{COURSE}/exports/gradebook",
    f"{COURSE}/archive",
    f"{DOUBLING}/schedule",
    f"{DOUBLING}/extensions",
    f"{DOUBLING}/versions",
    f"{DOUBLING}/regrades",
    f"{DOUBLING}/dashboard",
    f"{DOUBLING}/gradescope",
)
STAFF_ONLY = 403
INSTRUCTORS_ONLY = frozenset(
    {f"{COURSE}/archive", f"{COURSE}/exports/gradebook", f"{DOUBLING}/versions", f"{DOUBLING}/gradescope"}
)


@pytest.mark.parametrize("path", READ)
def test_students_may_not_read_it_strangers_do_not_learn_of_it_and_staff_may(
    world: WebWorld, path: str
) -> None:
    status: Callable[[str], int] = lambda login: world.script(login).get(path).status_code  # noqa: E731
    tom = STAFF_ONLY if path in INSTRUCTORS_ONLY else 200
    assert [status(login) for login in ("ada", "sam", "tom", "ines")] == [STAFF_ONLY, 404, tom, 200]
