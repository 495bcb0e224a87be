"""Where a course hides names, no answer to a teaching assistant names a student, and the work gets done."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

import pytest
from httpx import Response

from grader.db import models
from grader.domain.reviewing import RequestState
from grader.services.courses import SettingsWanted, change_course, course_settings
from tests.courses import SOLUTION
from tests.doors import EVERY_ROUTE, Request
from tests.integration.test_authorisation import ask
from tests.scene import PAST, Scene, Standing, scene
from tests.students import OPEN, a_result, grade
from tests.web import Browser, Page

ADA = (
    "Adalberta Lovelorn",
    "Lovelorn",
    "adalberta-l",
    "lovelorn@example.net",
    "A-4711-one",
    "section-of-ada",
)
BEN = ("Benedictus Otherman", "Otherman", "benedictus-o", "other@example.net", "B-4711-two", "section-of-ben")
"""Everything by which the course knows a student: name, its last part, login, address, number, section."""

CODE = SOLUTION + b"# by Adalberta Lovelorn, adalberta-l, A-4711-one\nprint('Lovelorn was here')\n"
FILE = "lovelorn.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """The whole scene in a course that hides names, and a submission whose author signs whatever she can."""

    stage: Scene
    signed: UUID
    request: UUID

    @property
    def things(self) -> dict[str, str]:
        """What addresses name."""
        return {**self.stage.things, "submission_id": str(self.signed)}


@contextmanager
def signed_scene(*, names_hidden: bool) -> Iterator[Hidden]:
    """The scene, in a course with that rule."""
    with scene() as stage:
        for login, words in (("ada", ADA), ("ben", BEN)):
            call(stage, login, words)
        rule(stage, names_hidden=names_hidden)
        signed = hand_in(stage)
        yield Hidden(stage=stage, signed=signed, request=ask_again(stage, signed))


@pytest.fixture(scope="module")
def hidden() -> Iterator[Hidden]:
    with signed_scene(names_hidden=True) as made:
        yield made


def call(stage: Scene, login: str, words: tuple[str, ...]) -> None:
    """Give a student names that no page has by chance."""
    name, _, known_as, email, number, section = words
    with stage.world.database.writing() as session:
        user = session.get_one(models.User, stage.world.people[login].user_id)
        user.name, user.login, user.email = name, known_as, email
        session.add(
            models.RosterEntry(
                course_id=stage.world.course.course_id,
                user_id=user.id,
                student_number=number,
                section=section,
            )
        )


def hand_in(stage: Scene) -> UUID:
    """Work of Ada's that is signed, in its text and in its file's name."""
    course = stage.world.course
    receipt = course.submit(CODE, name=FILE, user_id=stage.world.people["ada"].user_id)
    grade(course, receipt.attempt_id, a_result({OPEN}, output="Adalberta Lovelorn printed this\n"))
    return receipt.submission_id


def ask_again(stage: Scene, submission_id: UUID) -> UUID:
    """A signed request for another look."""
    with stage.world.database.writing() as session:
        row = models.RegradeRequest(
            submission_id=submission_id,
            text="Please look again. Yours, Adalberta Lovelorn",
            created_at=PAST,
            state=RequestState.OPEN,
        )
        session.add(row)
        session.flush()
        return row.id


def rule(stage: Scene, *, names_hidden: bool) -> None:
    """Set the course's rule, as its instructor does."""
    database, ines = stage.world.database, stage.world.people["ines"]
    now = course_settings(database, actor=ines, course="jax")
    wanted = SettingsWanted(
        title=now.title, timezone=now.timezone, grace_days=0, archived=False, names_hidden=names_hidden
    )
    change_course(database, actor=ines, course="jax", seen=now.version, wanted=wanted)


def said(answer: Response) -> str:
    """Everything in an answer, as text."""
    return answer.content.decode("utf-8", "replace") + str(answer.headers)


def named(text: str) -> set[str]:
    """The words in a text that name somebody."""
    return {word for word in (*ADA, *BEN) if word.casefold() in text.casefold()}


def clients(hidden: Hidden, standing: Standing) -> list[tuple[Request, Browser]]:
    """Every route with everybody who can ask it: pages by cookie, the API by cookie and token."""
    browser, script = hidden.stage.browser(standing), hidden.stage.script(standing)
    last = [entry for entry in EVERY_ROUTE if entry.path == "/logout"]
    routes = [entry for entry in EVERY_ROUTE if entry not in last]
    return [
        (entry, client) for entry in routes for client in ((browser, script) if entry.api else (browser,))
    ]


# --- nothing names anybody ----------------------------------------------------------------------------------


def test_no_answer_to_a_teaching_assistant_names_a_student() -> None:
    told = []
    with signed_scene(names_hidden=True) as hidden:
        for entry, client in clients(hidden, Standing.TA):
            for things in (hidden.things, hidden.stage.fresh(entry.names)):
                answer = ask(entry, client, things)
                assert answer.status_code < 500, str(entry)
                told += [f"{entry}: {word}" for word in named(said(answer))]
    assert told == []


@pytest.mark.parametrize(
    "query", ["order=name", "every=true", "requested=true", "blind=false", "order=requests"]
)
def test_no_way_of_asking_for_the_queue_names_a_student(hidden: Hidden, query: str) -> None:
    page = hidden.stage.browser(Standing.TA).get(f"/courses/jax/review?{query}")
    script = hidden.stage.script(Standing.TA).get(f"/api/v1/courses/jax/review?{query}")
    assert (page.status_code, script.status_code) == (200, 200)
    assert named(said(page) + said(script)) == set()
    assert all(item["student"].startswith("Student ") for item in script.json()["items"])


def test_a_section_does_not_tell_who_is_in_it(hidden: Hidden) -> None:
    answer = hidden.stage.script(Standing.TA).get("/api/v1/courses/jax/review?section=section-of-ada")
    assert answer.status_code == 422
    assert "sections are hidden" in answer.json()["error"]["message"]


@pytest.mark.parametrize("query", ["", "?blind=false", "?attempt=1"])
def test_a_submission_opens_without_names_however_it_is_asked_for(hidden: Hidden, query: str) -> None:
    page = hidden.stage.browser(Standing.TA).get(f"/review/{hidden.signed}{query}")
    script = hidden.stage.script(Standing.TA).get(f"/api/v1/submissions/{hidden.signed}/review{query}")
    assert (page.status_code, script.status_code) == (200, 200)
    assert named(said(page) + said(script)) == set()
    assert "names hidden" in Page(page.text).text


CLOSED = [
    "/courses/jax/gradebook",
    "/courses/jax/students/adalberta-l",
    "/courses/jax/students/nobody",
    "/api/v1/courses/jax/members",
    "/api/v1/courses/jax/gradebook",
    "/api/v1/courses/jax/students/adalberta-l",
    "/api/v1/courses/jax/assignments/doubling/extensions",
    "/courses/jax/assignments/doubling/regrades/{plan_id}",
    "/submissions/{submission_id}",
    "/submissions/{submission_id}/report.html",
    "/submissions/{submission_id}/files/0",
    "/submissions/{submission_id}/receipt.json",
    "/submissions/{submission_id}/progress",
    "/submissions/{submission_id}/diff/{other_id}",
    "/api/v1/submissions/{submission_id}/report",
    "/api/v1/submissions/{submission_id}/requests",
    "/api/v1/submissions/{submission_id}/results.json",
]


@pytest.mark.parametrize("path", CLOSED)
def test_what_is_about_persons_is_closed_and_says_why(hidden: Hidden, path: str) -> None:
    client = hidden.stage.script if path.startswith("/api/") else hidden.stage.browser
    answer = client(Standing.TA).get(path.format_map(hidden.things))
    assert answer.status_code == 403
    assert "hides names from its teaching assistants" in Page(answer.text).text


# --- the work gets done -------------------------------------------------------------------------------------


def test_a_teaching_assistant_reviews_without_names(hidden: Hidden) -> None:
    tom = hidden.stage.script(Standing.TA)
    work = f"/api/v1/submissions/{hidden.signed}"
    found = tom.get(f"{work}/review").json()
    file = found["files"][0]["name"]
    assert file == "•••.py"
    for where in (file, 0):
        made = tom.post(f"{work}/comments", json={"text": "Tidy.", "file": where, "line": 1})
        assert (made.status_code, made.json()["place"]["file"]) == (201, file)
    seen = {"version": made.json()["version"], "text": "Tidier.", "staff_only": False}
    edited = tom.patch(f"/api/v1/comments/{made.json()['id']}", json=seen)
    assert (edited.status_code, edited.json()["place"]["file"]) == (200, file)
    answered = tom.post(
        f"/api/v1/requests/{hidden.request}/answer",
        json={"state": "declined", "text": "It is right as it is.", "version": 1},
    )
    assert answered.json()["text"] == "Please look again. Yours, •••"
    with hidden.stage.world.database.reading() as session:
        comment = session.get_one(models.Comment, UUID(made.json()["id"]))
    assert comment.file == FILE


def test_what_somebody_takes_along_of_their_own_does_not_name_whom_they_reviewed(hidden: Hidden) -> None:
    tom = hidden.stage.script(Standing.TA)
    work = f"/api/v1/submissions/{hidden.signed}"
    said = tom.post(f"{work}/comments", json={"text": "Said to be kept.", "file": 0, "line": 1})
    with zipfile.ZipFile(io.BytesIO(tom.get("/api/v1/me/data").content)) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert said.json()["text"] in texts["comments_written.jsonl"]
    assert {name: named(name + text) for name, text in texts.items() if named(name + text)} == {}


def test_a_list_of_names_does_not_tell_whose_work_it_is_written_at() -> None:
    everybody = ", ".join((*ADA, *BEN))
    with signed_scene(names_hidden=True) as hidden:
        tom = hidden.stage.script(Standing.TA)
        work = f"/api/v1/submissions/{hidden.signed}"
        made = tom.post(f"{work}/comments", json={"text": everybody, "staff_only": True})
        version = tom.get(f"{work}/review").json()["review"]["version"]
        changed = tom.post(
            f"{work}/adjustments", json={"points": "1", "reason": everybody, "version": version}
        )
        answered = tom.post(
            f"/api/v1/requests/{hidden.request}/answer",
            json={"state": "declined", "text": everybody, "version": 1},
        )
        assert [made.status_code, changed.status_code, answered.status_code] == [201, 201, 200]
        assert answered.json()["answer"] == everybody
        seen = tom.get(f"{work}/review").json()
        by_tom = [item["text"] for item in seen["comments"]][-1]
        assert by_tom == seen["adjustments"][-1]["reason"] == everybody
        assert [item["answer"] for item in seen["requests"] if item["answer"]] == [everybody]
        page = hidden.stage.browser(Standing.TA).get(f"/review/{hidden.signed}")
        assert everybody in Page(page.text).text


def test_what_an_instructor_writes_there_is_covered(hidden: Hidden) -> None:
    work = f"/api/v1/submissions/{hidden.signed}"
    hidden.stage.script(Standing.INSTRUCTOR).post(
        f"{work}/comments", json={"text": "Adalberta wrote to me about this."}
    )
    seen = hidden.stage.script(Standing.TA).get(f"{work}/review").json()
    assert "••• wrote to me about this." in [item["text"] for item in seen["comments"]]


@pytest.mark.parametrize(
    "place",
    [{"file": "lovelorn.py", "line": 1}, {"file": "lovelorm.py", "line": 1}, {"file": 0, "line": 999}],
)
def test_a_wrong_place_does_not_tell_the_right_files_name(
    hidden: Hidden, place: Mapping[str, object]
) -> None:
    tom = hidden.stage.script(Standing.TA)
    answer = tom.post(f"/api/v1/submissions/{hidden.signed}/comments", json={"text": "Hm.", **place})
    assert answer.status_code == 422
    error = answer.json()["error"]
    words = f"{error['message']} {error['remedy']}"
    assert "•••.py" in words or "Take its name from the report" in words
    assert named(words.replace(str(place["file"]), "")) == set()


def test_the_reader_goes_from_one_submission_to_the_next(hidden: Hidden) -> None:
    tom = hidden.stage.browser(Standing.TA)
    first, *_ = hidden.stage.script(Standing.TA).get("/api/v1/courses/jax/review").json()["items"]
    on = tom.get(f"/review/{first['submission_id']}/next")
    assert on.status_code == 303
    assert on.headers["location"].startswith("/review/")


def test_their_own_attempts_at_an_assignment_stay_theirs(hidden: Hidden) -> None:
    tom = hidden.stage.world.people["tom"]
    receipt = hidden.stage.world.course.submit(user_id=tom.user_id)
    answer = hidden.stage.browser(Standing.TA).get(f"/submissions/{receipt.submission_id}")
    assert answer.status_code == 200


def test_nothing_leads_where_one_may_not_go(hidden: Hidden) -> None:
    for path in (
        "/courses/jax/review",
        "/courses/jax/dashboard",
        "/courses/jax/assignments/doubling/results",
    ):
        links = [
            link.get("href") or "" for link in Page(hidden.stage.browser(Standing.TA).get(path).text).all("a")
        ]
        assert not [link for link in links if "gradebook" in link or "/students/" in link], path


# --- whom it does not concern -------------------------------------------------------------------------------


def test_instructors_see_every_name(hidden: Hidden) -> None:
    ines = hidden.stage.browser(Standing.INSTRUCTOR)
    assert named(ines.get("/courses/jax/gradebook").text) >= {ADA[0], BEN[0]}
    assert ADA[0] in ines.get(f"/review/{hidden.signed}").text
    assert FILE in ines.get(f"/submissions/{hidden.signed}").text


def test_a_student_reads_their_own_work_as_ever(hidden: Hidden) -> None:
    answer = hidden.stage.browser(Standing.OWNER).get(f"/submissions/{hidden.signed}")
    assert (answer.status_code, "Lovelorn was here" in answer.text) == (200, True)


def test_the_walk_would_find_names_where_they_are_shown() -> None:
    """It could not fail if no route ever named anybody."""
    with signed_scene(names_hidden=False) as shown:
        telling = {
            str(entry)
            for entry, client in clients(shown, Standing.TA)
            if entry.method == "GET" and named(said(ask(entry, client, shown.things)))
        }
    assert len(telling) > 15
