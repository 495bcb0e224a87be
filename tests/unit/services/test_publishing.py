from __future__ import annotations

import threading
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from grader.content.assignments import read_assignment
from grader.db import models
from grader.domain.attempts import Queue
from grader.domain.errors import EngineFault, NotFound
from grader.services.publishing import PublishedVersion, current_version, materialise_version, publish
from tests.courses import SampleCourse, rubric, write_assignment


def publish_again(course: SampleCourse, *, lesson: str = "") -> PublishedVersion:
    assignment = write_assignment(course.folder, lesson=lesson)
    return publish(course.database, course_id=course.course_id, assignment=assignment, rubric=rubric())


def test_a_version_is_stored_with_its_rubric_and_limits(course: SampleCourse) -> None:
    with course.database.reading() as session:
        version = session.get_one(models.AssignmentVersion, course.version.version_id)
    assert (version.number, version.queue, version.time_limit_s) == (1, Queue.CPU, 390.0)
    assert version.content_hash == read_assignment(course.folder).version
    assert [check["points"] for check in version.rubric["checks"]] == ["5/3", "4/3", "2"]
    assert version.manifest["entry"] == "submission.py"


def test_publishing_an_unchanged_folder_changes_nothing(course: SampleCourse) -> None:
    again = publish_again(course)
    assert (again.version_id, again.number, again.created) == (course.version.version_id, 1, False)


def test_a_changed_folder_is_the_next_version_and_old_ones_stay(course: SampleCourse) -> None:
    first, second = course.version, publish_again(course, lesson="Read this.")
    assert (second.number, second.created) == (2, True)
    assert second.assignment_id == first.assignment_id
    assert second.content_hash != first.content_hash
    assert current_version(course.database, course_id=course.course_id, slug="doubling").number == 2


def test_going_back_to_an_earlier_content_is_a_version_of_its_own(course: SampleCourse) -> None:
    publish_again(course, lesson="Read this.")
    back = publish_again(course)
    assert (back.number, back.content_hash) == (3, course.version.content_hash)
    assert (
        current_version(course.database, course_id=course.course_id, slug="doubling").version_id
        == back.version_id
    )


def test_publications_at_once_are_numbered_in_turn(course: SampleCourse, tmp_path: Path) -> None:
    assignments = [write_assignment(tmp_path / f"a{n}", lesson=str(n)) for n in range(5)]
    numbers: list[int] = []

    def work(n: int) -> None:
        version = publish(
            course.database, course_id=course.course_id, assignment=assignments[n], rubric=rubric()
        )
        numbers.append(version.number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == [2, 3, 4, 5, 6]


def test_files_that_versions_share_are_stored_once(course: SampleCourse) -> None:
    def stored() -> int:
        with course.database.reading() as session:
            return session.scalars(select(func.count()).select_from(models.StoredFile)).one()

    before = stored()
    publish_again(course, lesson="Read this.")
    assert stored() == before + 1


def test_a_version_is_laid_out_as_it_was_published(course: SampleCourse, cache: Path) -> None:
    published = read_assignment(course.folder)
    (course.folder / "lesson.md").write_text("changed since", encoding="utf-8")
    found = materialise_version(course.database, course.version.version_id, cache=cache)
    assert (found.version, found.functions, found.limits) == (
        published.version,
        published.functions,
        published.limits,
    )
    assert found.root == (cache / published.version).resolve()
    assert materialise_version(course.database, course.version.version_id, cache=cache) == found


def test_a_version_that_is_not_what_was_published_is_refused(
    course: SampleCourse, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.services.publishing._load_folder", lambda *_: (("lesson.md", b"forged"),))
    with pytest.raises(EngineFault, match="not what was published"):
        materialise_version(course.database, course.version.version_id, cache=cache)
    assert not cache.exists()


def test_an_assignment_that_was_never_published_is_named(course: SampleCourse) -> None:
    with pytest.raises(NotFound, match=r"'tripling'.*grader assignment publish"):
        current_version(course.database, course_id=course.course_id, slug="tripling")
    with pytest.raises(NotFound, match="course"):
        publish(
            course.database, course_id=uuid4(), assignment=read_assignment(course.folder), rubric=rubric()
        )
