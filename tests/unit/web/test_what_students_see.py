"""No answer to a student holds anything of a check that is not open to them, or of another student."""

from __future__ import annotations

import io
import tempfile
import zipfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from fastapi.routing import iter_route_contexts
from httpx import Response

from grader.db import models
from grader.domain.results import Progress, Stage
from grader.domain.reviewing import AdjustmentKind, RequestState
from grader.domain.scheduling import Counting
from grader.services.leases import claim, renew
from grader.services.policy import QueuePolicy
from tests.courses import SOLUTION
from tests.students import (
    AFTER_DUE,
    AFTER_RELEASE,
    EVERYTHING,
    OPEN,
    PRINTED,
    SEALED,
    SEED,
    graded,
    marker,
    publish_hidden,
    schedule,
)
from tests.web import Browser, WebWorld, web_world

PAST = datetime(2020, 1, 1, tzinfo=UTC)
FUTURE = datetime(2100, 1, 1, tzinfo=UTC)
OF_BEN = "written_by_another_student"
FOR_STAFF = "words_for_staff_alone"
REFERENCE = "the_reference_solution"
NAME_OF_STAFF = "Tomasina Staffman"
BEN = ("Benjamin Otherman", "benjamin-other", "ben-other@example.net", "B-4711-other", "the-other-section")
"""Everything by which the course knows the other student: name, login, address, number, section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Two students with submissions, one of which is just being graded, and what staff wrote about them."""

    world: WebWorld
    ada: Browser
    script: Browser
    mine: UUID
    other: UUID
    running: UUID
    bens: UUID
    request: UUID


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    with tempfile.TemporaryDirectory() as folder, web_world(Path(folder)) as world:
        (world.course.folder / "solution/submission.py").write_text(f"# {REFERENCE}\n", encoding="utf-8")
        publish_hidden(world.course)
        yield _scene(world)


def _scene(world: WebWorld) -> Scene:
    course, ada, ben = world.course, world.people["ada"].user_id, world.people["ben"].user_id
    mine = graded(course, frozenset(), user_id=ada).submission_id
    other = graded(course, EVERYTHING, user_id=ada, data=SOLUTION + b"# more\n").submission_id
    bens = graded(course, {OPEN}, user_id=ben, data=SOLUTION + f"# {OF_BEN}\n".encode()).submission_id
    running = course.submit(user_id=ada)
    lease = claim(world.database, running.attempt_id, owner="host:1", policy=QueuePolicy())
    assert lease is not None
    busy = Progress(stage=Stage.CHECKING, check_id=SEALED, done=1, total=4)
    renew(world.database, lease, progress=busy, policy=QueuePolicy())
    request = uuid4()
    _call_ben_by_unmistakable_names(world)
    with world.database.writing() as session:
        session.get_one(models.User, world.people["tom"].user_id).name = NAME_OF_STAFF
        for check_id in EVERYTHING:
            session.add(_adjustment(mine, world, check_id))
            session.add(_comment(mine, world, _about(check_id), check_id=check_id))
        session.add(_comment(mine, world, FOR_STAFF, staff_only=True))
        session.add(_comment(bens, world, OF_BEN))
        session.add(
            models.RegradeRequest(
                id=request,
                submission_id=bens,
                text=OF_BEN,
                created_at=PAST,
                state=RequestState.OPEN,
            )
        )
    return Scene(
        world=world,
        ada=world.browser("ada"),
        script=world.script("ada"),
        mine=mine,
        other=other,
        running=running.submission_id,
        bens=bens,
        request=request,
    )


def _call_ben_by_unmistakable_names(world: WebWorld) -> None:
    name, login, email, number, section = BEN
    with world.database.writing() as session:
        ben = session.get_one(models.User, world.people["ben"].user_id)
        ben.name, ben.login, ben.email = name, login, email
        session.add(
            models.RosterEntry(
                course_id=world.course.course_id, user_id=ben.id, student_number=number, section=section
            )
        )


def _about(check_id: str) -> str:
    """What staff write about a check. Once grades are released, what they write of a sealed one is read."""
    return "about a sealed check" if check_id == SEALED else f"about {marker(check_id)}"


def _adjustment(submission_id: UUID, world: WebWorld, check_id: str) -> models.Adjustment:
    return models.Adjustment(
        submission_id=submission_id,
        kind=AdjustmentKind.SET_CHECK,
        check_id=check_id,
        points=1,
        reason=_about(check_id),
        author_id=world.people["tom"].user_id,
        created_at=PAST,
    )


def _comment(submission_id: UUID, world: WebWorld, text: str, **more: object) -> models.Comment:
    return models.Comment(
        submission_id=submission_id,
        author_id=world.people["tom"].user_id,
        text=text,
        created_at=PAST,
        **more,
    )


def answers(scene: Scene, *, submission: UUID, other: UUID) -> Iterator[tuple[str, Response]]:
    """Every route that answers GET, for one submission; the API's with a token."""
    parts = {
        "course": "jax",
        "slug": "doubling",
        "submission_id": submission,
        "other_id": other,
        "position": 0,
        "request_id": scene.request,
        "attempt_id": submission,
        "plan_id": submission,
        "user_id": scene.world.people["ben"].user_id,
        "name": "x",
        "digest": "x",
        "token": "x",
    }
    for route in iter_route_contexts(scene.world.app.routes):
        path = getattr(route, "path", None)
        if path is None or "GET" not in (getattr(route, "methods", None) or ()):
            continue
        try:
            url = path.format_map({key: str(value) for key, value in parts.items()})
        except KeyError:
            continue  # a part that no student has: staff's pages have tests of their own
        client = scene.script if url.startswith("/api/") else scene.ada
        yield url, client.get(url)


def everything_said(scene: Scene) -> Iterator[tuple[str, str]]:
    """All that Ada can make the server say, as text."""
    for submission, other in (
        (scene.mine, scene.other),
        (scene.other, scene.mine),
        (scene.bens, scene.mine),
        (scene.mine, scene.bens),
    ):
        for url, answer in answers(scene, submission=submission, other=other):
            assert answer.status_code < 500, url
            # What was asked for may be repeated; nobody learns from it what they had not known.
            asked = (str(scene.bens), str(scene.world.people["ben"].user_id)) if url_names(url, scene) else ()
            yield url, without(said_in(answer), asked)
    for url in (f"/submissions/{scene.running}", f"/api/v1/submissions/{scene.running}/progress"):
        client = scene.script if url.startswith("/api/") else scene.ada
        yield url, client.get(url).text
    tried = {"text": "x", "check": SEALED}
    asked = scene.ada.send_form(f"/submissions/{scene.mine}/request", tried)
    yield "asking about a hidden check", asked.text.replace(SEALED, "")


def url_names(url: str, scene: Scene) -> bool:
    """Whether the address itself holds an id of the other student's."""
    return any(str(one) in url for one in (scene.bens, scene.world.people["ben"].user_id))


def said_in(answer: Response) -> str:
    """Body and headers; an archive's names and files as well."""
    said = answer.text + str(answer.headers)
    if not answer.content.startswith(b"PK"):
        return said
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        files = [archive.read(name).decode("utf-8", "replace") for name in archive.namelist()]
        return "\n".join([said, *archive.namelist(), *files])


def without(text: str, words: Collection[str]) -> str:
    for word in words:
        text = text.replace(word, "…")
    return text


STAGES: dict[str, tuple[dict[str, object], frozenset[str]]] = {
    "before the due date": (
        {"due_at": FUTURE, "counting": Counting.BEST},
        frozenset({AFTER_DUE, AFTER_RELEASE, SEALED}),
    ),
    "after the due date": (
        {"due_at": PAST, "counting": Counting.CHOSEN},
        frozenset({AFTER_RELEASE, SEALED}),
    ),
    "after the release": (
        {"due_at": FUTURE, "released_at": PAST, "counting": Counting.LAST},
        frozenset({SEALED}),
    ),
}
"""The dates of each stage, and the checks of which nothing but number and points may be told in it."""


@pytest.mark.parametrize("stage", STAGES)
def test_nothing_hidden_and_nothing_of_others_is_ever_said(scene: Scene, stage: str) -> None:
    rules, closed = STAGES[stage]
    schedule(scene.world.course, **{"released_at": None, **rules})
    forbidden = {marker(check_id) for check_id in closed}
    forbidden |= {SEED, PRINTED, OF_BEN, FOR_STAFF, REFERENCE, NAME_OF_STAFF, *BEN}
    forbidden |= {str(scene.bens), str(scene.request), str(scene.world.people["ben"].user_id)}
    for url, said in everything_said(scene):
        assert {word for word in forbidden if word in said} == set(), url


def test_what_is_open_is_said(scene: Scene) -> None:
    """The test above could not fail if nothing were ever said."""
    schedule(scene.world.course, due_at=PAST, released_at=PAST)
    said = "".join(text for _, text in everything_said(scene))
    assert all(marker(check_id) in said for check_id in (OPEN, AFTER_DUE, AFTER_RELEASE))


def test_staff_are_told_whose_work_it_is(scene: Scene) -> None:
    roster = scene.world.browser("ines").get("/courses/jax/roster").text
    assert [word for word in BEN if word not in roster] == []


def test_staff_are_told_what_students_are_not(scene: Scene) -> None:
    page = scene.world.browser("tom").get(f"/submissions/{scene.mine}").text
    assert all(word in page for word in (marker(SEALED), FOR_STAFF, SEED, PRINTED))
