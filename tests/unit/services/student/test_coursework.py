from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import event

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import Conflict, NotFound, UploadRefused
from grader.domain.people import Role
from grader.domain.results import Progress, Stage
from grader.domain.scheduling import Counting
from grader.services.leases import claim, renew
from grader.services.policy import QueuePolicy
from grader.services.student.choosing import choose
from grader.services.student.coursework import course_for, courses_of
from grader.services.student.files import compare, uploaded_file
from grader.services.student.handouts import Handout, bundle_of, starter_of
from grader.services.student.prechecking import precheck_upload
from grader.services.student.progress import progress_now
from grader.services.uploads import Upload
from tests.courses import BUNDLE, SOLUTION, SampleCourse
from tests.students import EVERYTHING, OPEN, SEALED, actor, graded, publish_hidden, schedule

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@contextmanager
def counted_queries(database: Database) -> Iterator[list[str]]:
    """The statements that were sent meanwhile."""
    found: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:  # noqa: ANN401 - the event's
        found.append(statement)

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        yield found
    finally:
        event.remove(database.engine, "before_cursor_execute", note)


def look_over(course: SampleCourse, data: bytes, *, name: str = "submission.py", login: str = "ada") -> Any:  # noqa: ANN401
    return precheck_upload(
        course.database,
        actor=actor(course, login),
        course="jax",
        slug="doubling",
        uploads=[Upload(name=name, data=data)],
    )


def test_a_course_is_read_in_a_constant_number_of_queries(course: SampleCourse) -> None:
    ada = actor(course, "ada")
    graded(course)
    with counted_queries(course.database) as few:
        course_for(course.database, actor=ada, course="jax")
    for _ in range(5):
        graded(course)
    with counted_queries(course.database) as many:
        course_for(course.database, actor=ada, course="jax")
    assert len(few) == len(many) <= 20


def test_people_see_their_own_courses(course: SampleCourse) -> None:
    assert [seat.course_slug for seat in courses_of(course.database, actor=actor(course, "ada"))] == ["jax"]
    assert courses_of(course.database, actor=actor(course, "eve")) == ()
    with pytest.raises(NotFound):
        course_for(course.database, actor=actor(course, "eve"), course="jax")


def test_each_student_has_their_own_points(course: SampleCourse) -> None:
    publish_hidden(course)
    ben = course.enrol("ben")
    graded(course, frozenset())
    graded(course, EVERYTHING, user_id=ben)
    points = [
        course_for(course.database, actor=actor(course, login), course="jax").item("doubling").standing.points
        for login in ("ada", "ben")
    ]
    assert points == [0, 2]


def test_what_is_worth_points_and_what_is_hidden_is_counted_from_the_newest_version(
    course: SampleCourse,
) -> None:
    publish_hidden(course)
    item = course_for(course.database, actor=actor(course, "ada"), course="jax").item("doubling")
    assert (item.max_score, item.open_score, sum(part.count for part in item.hidden)) == (14, 2, 3)
    assert item.counting is None


def test_a_starter_holds_nothing_but_starter_and_lesson(course: SampleCourse) -> None:
    handout = starter_of(course.database, actor=actor(course, "ada"), course="jax", slug="doubling")
    with zipfile.ZipFile(io.BytesIO(handout.data)) as archive:
        assert archive.namelist() == ["doubling/lesson.md", "doubling/submission.py"]
        assert b"return" not in archive.read("doubling/submission.py")
    again = starter_of(course.database, actor=actor(course, "ada"), course="jax", slug="doubling")
    assert again.data == handout.data


def test_the_bundle_is_what_was_published_with_the_newest_version(course: SampleCourse) -> None:
    def bundle() -> Handout:
        return bundle_of(course.database, actor=actor(course, "ada"), course="jax", slug="doubling")

    assert (bundle().name, bundle().data) == ("doubling-1-checks.zip", BUNDLE)
    publish_hidden(course)  # a version of which nothing can be handed out
    with pytest.raises(NotFound, match="They run on the server only"):
        bundle()


def test_a_look_over_finds_what_is_missing_and_stores_nothing(course: SampleCourse) -> None:
    found = look_over(course, b"from helpers import *\n")
    assert [item.found for item in found.functions] == [None, None]
    found = look_over(course, b"def double(x, y):\n    return x\n")
    assert [(item.name, item.found) for item in found.functions] == [("double", True), ("half", False)]
    assert any("asked for is x" in notice.message for notice in found.notices)
    assert (found.ready, look_over(course, SOLUTION).ready) == (False, True)
    with course.database.reading() as session:
        assert session.query(models.Submission).count() == 0


def test_a_look_over_says_whether_it_could_be_handed_in_now(course: SampleCourse) -> None:
    schedule(course, due_at=LONG_AGO, closes_at=LONG_AGO)
    assert look_over(course, SOLUTION).turn.refusal.startswith("It closed on Wed 1 Jan 2020")


def test_a_look_over_refuses_what_cannot_be_read_and_strangers(course: SampleCourse) -> None:
    with pytest.raises(UploadRefused):
        look_over(course, b"")
    with pytest.raises(NotFound):
        look_over(course, SOLUTION, login="eve")


def test_two_choices_at_once_leave_one(course: SampleCourse) -> None:
    schedule(course, counting=Counting.CHOSEN)
    mine = [graded(course).submission_id for _ in range(2)]
    ada, errors = actor(course, "ada"), list[Exception]()

    def pick(number: int) -> None:
        try:
            choose(course.database, actor=ada, submission_id=mine[number % 2])
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=pick, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with course.database.reading() as session:
        [choice] = session.query(models.SubmissionChoice).all()
        assert choice.submission_id in mine


def test_only_the_author_chooses(course: SampleCourse) -> None:
    schedule(course, counting=Counting.CHOSEN)
    submission_id = graded(course).submission_id
    course.enrol("tom", Role.TA)
    for login in ("tom", "eve"):
        with pytest.raises(NotFound):
            choose(course.database, actor=actor(course, login), submission_id=submission_id)
    schedule(course, counting=Counting.BEST)
    with pytest.raises(Conflict, match="the best submission counts"):
        choose(course.database, actor=actor(course, "ada"), submission_id=submission_id)


@pytest.mark.parametrize("check_id, title", [(OPEN, "Title of it_doubles."), (SEALED, "")])
def test_the_running_check_is_named_if_it_is_open(course: SampleCourse, check_id: str, title: str) -> None:
    publish_hidden(course)
    receipt = course.submit()
    lease = claim(course.database, receipt.attempt_id, owner="h:1", policy=QueuePolicy())
    assert lease is not None
    step = Progress(stage=Stage.CHECKING, check_id=check_id, done=1, total=4)
    renew(course.database, lease, progress=step, policy=QueuePolicy())
    now = progress_now(course.database, actor=actor(course, "ada"), submission_id=receipt.submission_id)
    assert (now.check, now.progress.done, now.progress.total, now.final) == (title, 1, 4, False)
    assert now.progress.check_id is None


def test_files_come_back_exactly_and_are_compared(course: SampleCourse) -> None:
    ada = actor(course, "ada")
    odd = b"\xef\xbb\xbfdef double(x):\r\n    return 2 * x\r\n"
    first, second = graded(course, data=odd), graded(course)
    found = uploaded_file(course.database, actor=ada, submission_id=first.submission_id, position=0)
    assert found.data == odd
    both = compare(
        course.database, actor=ada, submission_id=second.submission_id, other_id=first.submission_id
    )
    assert (both.old, both.new, both.files[0].removed) == (1, 2, 0)
