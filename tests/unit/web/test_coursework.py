from __future__ import annotations

import io
import re
import zipfile
from datetime import UTC, datetime, timedelta
from fractions import Fraction

import pytest
from httpx import Response

from grader.db import models
from grader.domain.scheduling import Counting, LateRule
from grader.domain.text import printable
from tests.courses import BUNDLE, SOLUTION
from tests.students import EVERYTHING, OPEN, graded, publish_hidden, schedule
from tests.web import Browser, Page, WebWorld

HERE = "/courses/jax/assignments/doubling"
API = f"/api/v1{HERE}"
PAST = datetime(2020, 1, 1, tzinfo=UTC)
FUTURE = datetime(2100, 7, 1, 21, 59, 59, tzinfo=UTC)


def upload(
    browser: Browser, data: bytes = SOLUTION, *, name: str = "work.py", key: str = "k", to: str = "submit"
) -> Response:
    form = {"csrf_token": browser.csrf, "key": key}
    return browser.post(f"{HERE}/{to}", data=form, files=[("files", (name, data, "text/x-python"))])


def submissions(world: WebWorld) -> int:
    with world.database.reading() as session:
        return len(session.query(models.Submission).all())


def test_a_member_finds_their_courses_and_a_stranger_finds_none(world: WebWorld) -> None:
    assert "/courses/jax" in world.browser("ada").get("/").text
    assert "You are in no course yet" in world.browser("sam").get("/").text
    assert world.visitor().get("/").headers["location"].startswith("/login")


def test_a_course_tells_deadlines_in_its_zone_and_in_the_readers(world: WebWorld) -> None:
    with world.database.writing() as session:
        session.get_one(models.Course, world.course.course_id).timezone = "Europe/Zurich"
        session.get_one(models.Account, world.people["ada"].user_id).timezone = "America/New_York"
    schedule(world.course, due_at=FUTURE)
    text = Page(world.browser("ada").get("/courses/jax").text).text
    assert "23:59 CEST" in text
    assert "(yours: Thu 1 Jul 2100, 17:59 EDT )" in text.replace("EDT)", "EDT )")


def test_points_so_far_are_those_of_open_checks_and_say_that_there_are_more(world: WebWorld) -> None:
    publish_hidden(world.course)
    graded(world.course, EVERYTHING, user_id=world.people["ada"].user_id)
    text = Page(world.browser("ada").get("/courses/jax").text).text
    assert "2 of 2" in text
    assert "3 checks more, worth 12 , not shown" in text.replace("12,", "12 ,")


def test_an_assignment_shows_lesson_rubric_and_what_is_hidden_until_when(world: WebWorld) -> None:
    publish_hidden(world.course)
    page = Page(world.browser("ada").get(HERE).text)
    assert "A lesson." in page.text
    assert "Title of it_doubles." in page.text
    assert "3 more checks, worth 12 points, are not shown" in page.text
    assert "1 until the due date, 1 until grades are released, 1 permanently" in page.text
    assert {"id": "pure-functions"} in page.all("h3")
    assert len(page.all("h1")) == 1


@pytest.mark.parametrize("rules", [{"draft": True}, {"opens_at": FUTURE}])
def test_what_is_not_open_yet_is_not_found_by_students_and_found_by_staff(
    world: WebWorld, rules: dict[str, object]
) -> None:
    schedule(world.course, **rules)
    for address in (HERE, f"{HERE}/starter", f"{HERE}/bundle", API, f"{API}/starter", f"{API}/bundle"):
        assert world.browser("ada").get(address).status_code == 404
        assert world.browser("tom").get(address).status_code == 200
    assert "doubling" not in world.browser("ada").get("/courses/jax").text


def test_the_starter_holds_starter_and_lesson_and_nothing_else(world: WebWorld) -> None:
    answer = world.browser("ada").get(f"{HERE}/starter")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert archive.namelist() == ["doubling/lesson.md", "doubling/submission.py"]
    assert "attachment" in answer.headers["content-disposition"]
    assert answer.content == world.script("ada").get(f"{API}/starter").content


def test_the_visible_checks_are_offered_where_there_are_any_to_download(world: WebWorld) -> None:
    answer = world.browser("ada").get(f"{HERE}/bundle")
    assert answer.content == world.script("ada").get(f"{API}/bundle").content == BUNDLE
    assert 'filename="doubling-1-checks.zip"' in answer.headers["content-disposition"]
    assert f'href="{HERE}/bundle"' in world.browser("ada").get(HERE).text
    assert world.script("ada").get(API).json()["bundle"] is True
    publish_hidden(world.course)  # a version of which nothing can be handed out
    assert world.browser("ada").get(f"{HERE}/bundle").status_code == 404
    assert f'href="{HERE}/bundle"' not in world.browser("ada").get(HERE).text
    assert world.script("ada").get(API).json()["bundle"] is False


def test_an_upload_leads_to_its_submission_and_a_second_click_to_the_same(world: WebWorld) -> None:
    ada = world.browser("ada")
    first, again = upload(ada), upload(ada)
    assert (first.status_code, first.headers["location"]) == (303, again.headers["location"])
    assert submissions(world) == 1
    assert "Submission 1 was received" in ada.get(first.headers["location"]).text


def test_a_pasted_text_is_handed_in_under_the_name_that_is_asked_for(world: WebWorld) -> None:
    ada = world.browser("ada")
    answer = ada.send_form(f"{HERE}/submit", {"key": "k", "text": "def double(x):\r\n    return 2*x\r\n"})
    file = ada.get(answer.headers["location"] + "/files/0")
    assert file.content == b"def double(x):\n    return 2*x\n"
    assert "submission.py" in file.headers["content-disposition"]


def test_several_files_are_one_submission(world: WebWorld) -> None:
    ada = world.browser("ada")
    files = [("files", (name, SOLUTION, "text/plain")) for name in ("submission.py", "helpers.py")]
    answer = ada.post(f"{HERE}/submit", data={"csrf_token": ada.csrf, "key": "k"}, files=files)
    names = [
        item["name"]
        for item in world.script("ada").get(f"/api/v1{answer.headers['location']}").json()["files"]
    ]
    assert names == ["submission.py", "helpers.py"]


@pytest.mark.parametrize("to", ["submit", "check"])
@pytest.mark.parametrize(
    "data, why", [(b"", "is empty"), (b"\x7fELF\0\1", "not Python"), (b"\0" * 11_000_000, "10 MiB")]
)
def test_what_cannot_be_read_is_refused_with_the_reason_and_costs_nothing(
    world: WebWorld, to: str, data: bytes, why: str
) -> None:
    answer = upload(world.browser("ada"), data, to=to)
    assert answer.status_code == 422
    assert why in Page(answer.text).text
    assert submissions(world) == 0


def test_programs_are_told_which_file_cannot_be_read(world: WebWorld) -> None:
    body = {"files": [{"name": "zero.py", "text": ""}]}
    answer = world.script("ada").post(f"/api/v1{HERE}/submissions", json=body)
    assert answer.json()["error"]["message"] == "zero.py: is empty."


def test_nothing_at_all_is_refused_too(world: WebWorld) -> None:
    ada = world.browser("ada")
    # As a browser sends a form whose file picker was left empty.
    parts = [
        'name="csrf_token"\r\n\r\n' + ada.csrf,
        'name="key"\r\n\r\nk',
        'name="text"\r\n\r\n  \r\n',
        'name="files"; filename=""\r\nContent-Type: application/octet-stream\r\n\r\n',
    ]
    body = "".join(f"--b\r\nContent-Disposition: form-data; {part}\r\n" for part in parts) + "--b--\r\n"
    headers = {"content-type": "multipart/form-data; boundary=b"}
    answer = ada.post(f"{HERE}/submit", content=body.encode(), headers=headers)
    assert (answer.status_code, submissions(world)) == (422, 0)
    assert "there is no file in it" in Page(answer.text).text


def test_a_look_over_says_what_is_missing_and_keeps_the_text(world: WebWorld) -> None:
    answer = upload(world.browser("ada"), b"def double(x):\n    return 2 * x\n", to="check")
    page = Page(answer.text)
    assert "Something is missing." in page.text
    assert "The function half is not defined." in page.text
    assert re.search(r"<textarea[^>]*>\s*def double\(x\):", answer.text)
    assert submissions(world) == 0


def test_of_a_file_that_does_not_parse_it_is_not_said_that_running_it_would_tell(world: WebWorld) -> None:
    text = Page(upload(world.browser("ada"), b"def double(x:\n", to="check").text).text
    assert "It does not parse." in text
    assert "double : cannot be told before the file parses" in text.replace("double:", "double :")
    assert "only running it can tell" not in text


def test_htmx_gets_the_finding_alone(world: WebWorld) -> None:
    ada = world.browser("ada")
    ada.headers["hx-request"] = "true"
    found = upload(ada, to="check")
    assert found.text.lstrip().startswith("<p><strong>")
    assert "every function is there" in found.text
    refused = upload(ada, b"", to="check")
    assert (refused.status_code, "cannot be handed in" in refused.text) == (200, True)


def test_after_the_closing_the_form_is_gone_and_says_when_it_closed(world: WebWorld) -> None:
    schedule(world.course, due_at=PAST, closes_at=PAST)
    ada = world.browser("ada")
    page = Page(ada.get(HERE).text)
    assert "It closed on Wed 1 Jan 2020, 00:00:00 UTC." in page.text
    assert page.all("textarea") == []
    assert upload(ada).status_code == 409


def test_a_cool_down_answers_429_and_says_how_long(world: WebWorld) -> None:
    schedule(world.course, cooldown_s=600)
    ada = world.script("ada")
    files = {"files": [{"name": "submission.py", "text": SOLUTION.decode()}]}
    assert ada.post(f"{API}/submissions", json=files).status_code == 201
    answer = ada.post(f"{API}/submissions", json=files)
    assert answer.status_code == 429
    assert 500 < int(answer.headers["retry-after"]) <= 600
    assert ada.get(API).json()["turn"]["open"] is False


def test_the_deadline_is_explained_line_by_line(world: WebWorld) -> None:
    schedule(world.course, due_at=FUTURE)
    with world.database.writing() as session:
        session.add(
            models.Extension(
                assignment_id=world.course.version.assignment_id,
                user_id=world.people["ada"].user_id,
                due_at=FUTURE + timedelta(days=2),
                reason="ill",
                granted_at=PAST,
            )
        )
    text = Page(world.browser("ada").get(HERE).text).text
    assert "Extension until Sat 3 Jul 2100" in text
    assert "The deadline that holds" in text
    assert "the server's clock at the moment when your upload has arrived whole" in text


def a_day_late(world: WebWorld, *, grace_days: int = 2, **rules: object) -> None:
    """The deadline passed an hour ago; late days cost a tenth, and grace days pay first."""
    due_at = datetime.now(UTC) - timedelta(hours=1)
    known = {"late_rule": LateRule.PER_DAY, "per_day": Fraction(1, 10), "uses_grace": True}
    schedule(world.course, due_at=due_at, counting=Counting.LAST, **{**known, **rules})
    with world.database.writing() as session:
        session.merge(models.CoursePolicy(course_id=world.course.course_id, grace_days=grace_days))


SPENDS = "is 1 day late: it spends 1 of your 2 grace days."


def test_before_handing_in_late_it_is_said_that_a_grace_day_will_be_spent(world: WebWorld) -> None:
    a_day_late(world)
    ada = world.browser("ada")
    assert f"Your deadline has passed. Handing in now {SPENDS}" in Page(ada.get(HERE).text).text
    assert f"Handing in now {SPENDS}" in Page(upload(ada, to="check").text).text
    api = world.script("ada")
    files = {"files": [{"name": "submission.py", "text": SOLUTION.decode()}]}
    told = [api.get(API).json()["turn"], api.post(f"{API}/check", json=files).json()["turn"]]
    for turn in told:
        assert turn["price"] == {
            "days_late": 1,
            "grace_days": 1,
            "grace_days_left": 2,
            "penalty": 0,
            "dearer": [],
            "says": f"Handing in now {SPENDS}",
        }
    received = api.post(f"{API}/submissions", json=files).json()
    assert received["price"]["says"] == f"This submission {SPENDS}"
    assert f"This submission {SPENDS}" in Page(ada.get(f"/submissions/{received['id']}/receipt").text).text


def test_what_was_said_beforehand_is_what_the_ledger_says_once_it_is_graded(world: WebWorld) -> None:
    a_day_late(world, grace_days=0)
    assert "costs 10 % of the points that it earns" in world.browser("ada").get(HERE).text
    receipt = world.graded("ada")
    text = Page(world.browser("ada").get(f"/submissions/{receipt.submission_id}").text).text
    assert "Penalty for 1 day late: 10 % of the points earned are lost." in text
    a_day_late(world)
    text = Page(world.browser("ada").get(f"/submissions/{receipt.submission_id}").text).text
    assert "1 day paid with grace days." in text


def test_in_time_nothing_is_said_of_a_price_and_staff_are_told_none(world: WebWorld) -> None:
    schedule(world.course, due_at=FUTURE)
    assert world.script("ada").get(API).json()["turn"]["price"] is None
    assert "grace day" not in world.browser("ada").get(HERE).text
    a_day_late(world)
    assert "What you hand in now is 1 day late, and in no gradebook." in world.browser("tom").get(HERE).text


def test_the_same_key_in_the_api_gives_the_same_submission(world: WebWorld) -> None:
    ada = world.script("ada")
    files = {"files": [{"name": "submission.py", "text": SOLUTION.decode()}]}
    first = ada.post(f"{API}/submissions", json=files, headers={"idempotency-key": "k"}).json()
    again = ada.post(f"{API}/submissions", json=files, headers={"idempotency-key": "k"}).json()
    assert (first["id"], first["repeated"], again["repeated"]) == (again["id"], False, True)
    other = {"files": [{"name": "submission.py", "text": "x = 1\n"}]}
    assert ada.post(f"{API}/submissions", json=other, headers={"idempotency-key": "k"}).status_code == 409


def test_the_api_takes_files_as_a_form(world: WebWorld) -> None:
    answer = world.script("ada").post(f"{API}/uploads", files=[("files", ("work.py", SOLUTION))])
    assert (answer.status_code, answer.json()["number"]) == (201, 1)
    assert world.script("ada").get(f"{API}/submissions").json()[0]["id"] == answer.json()["id"]


def test_the_api_looks_an_upload_over(world: WebWorld) -> None:
    files = {"files": [{"name": "submission.py", "text": "def double(x:\n"}]}
    answer = world.script("ada").post(f"{API}/check", json=files).json()
    assert (answer["ready"], answer["parses"], submissions(world)) == (False, False, 0)
    assert answer["functions"] == [{"name": "double", "found": None}, {"name": "half", "found": None}]


def test_the_api_tells_of_courses_in_numbers(world: WebWorld) -> None:
    publish_hidden(world.course)
    graded(world.course, {OPEN}, user_id=world.people["ada"].user_id)
    [course] = world.script("ada").get("/api/v1/courses").json()
    assert course == {"slug": "jax", "title": "JAX", "timezone": "UTC", "role": "student"}
    [item] = world.script("ada").get("/api/v1/courses/jax").json()["assignments"]
    assert (item["points"], item["open_score"], item["max_score"]) == (2, 2, 14)
    assert [part["opens"] for part in item["hidden"]] == ["after_due", "after_published", "hidden"]


@pytest.mark.parametrize("address", ["/courses/jax", HERE, f"{HERE}/starter"])
def test_a_stranger_cannot_tell_a_course_from_none(world: WebWorld, address: str) -> None:
    sam = world.script("sam")
    theirs = sam.get(f"/api/v1{address}")
    none = sam.get(f"/api/v1{address}".replace("jax", "nil"))
    assert theirs.status_code == none.status_code == 404
    assert theirs.json()["error"]["message"].replace("jax", "nil") == none.json()["error"]["message"]


@pytest.mark.parametrize("address", ["/courses/UPPER", "/courses/a b", "/courses/%00", f"{HERE}%22"])
def test_what_cannot_be_a_name_is_not_found(world: WebWorld, address: str) -> None:
    assert world.browser("ada").get(address).status_code == 404


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 101, "\u00e9"])
def test_a_key_that_is_none_is_refused(world: WebWorld, key: str) -> None:
    answer = world.browser("ada").send_form(f"{HERE}/submit", {"key": key, "text": "x = 1"})
    assert (answer.status_code, submissions(world)) in {(422, 0), (303, 1)}
    assert (answer.status_code == 303) == (key == "")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>.py", "=1+1 'x'.py", "\u202egnp.py", "a\x1b[31m.py"]
)
def test_a_hostile_file_name_is_shown_or_refused_and_does_nothing(world: WebWorld, name: str) -> None:
    ada = world.browser("ada")
    answer = upload(ada, name=name)
    page = ada.get(answer.headers["location"]) if answer.status_code == 303 else answer
    assert "<script>alert" not in page.text
    assert not {"\u202e", "\x1b"} & set(page.text)
    if answer.status_code == 303:
        file = ada.get(answer.headers["location"] + "/files/0")
        assert file.headers["content-type"].startswith("text/plain")
        assert file.headers["content-disposition"].startswith("attachment; ")
        assert printable(file.headers["content-disposition"]) == file.headers["content-disposition"]
