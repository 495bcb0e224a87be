"""Archives of courses larger than memory should ever hold, and of what happens while they are written."""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from collections.abc import Callable
from typing import IO

import pytest

from grader.db import models
from grader.services.exports.archive import ArchiveWriter
from grader.services.exports.course_archive import write_course_archive
from grader.services.exports.gradescope_archive import write_assignment_results
from grader.services.exports.person_archive import write_person_archive
from tests.large import hand_in_much, most_memory
from tests.reviews import ReviewedCourse

FILE_BYTES = 500_000

Write = Callable[[IO[bytes]], str]


def whole_course(review: ReviewedCourse) -> Write:
    return lambda out: write_course_archive(review.database, out, actor=review.ines, course="jax")


def own_data(review: ReviewedCourse) -> Write:
    return lambda out: write_person_archive(review.database, out, actor=review.ada)


@pytest.mark.parametrize(
    "archive, submissions, result_bytes",
    # A report leaves some hundred kilobytes of cycles in memory until they are collected.
    [(whole_course, 40, 500_000), (own_data, 100, 0)],
    ids=["whole_course", "own_data"],
)
def test_an_archive_is_never_whole_in_memory(
    review: ReviewedCourse,
    archive: Callable[[ReviewedCourse], Write],
    submissions: int,
    result_bytes: int,
) -> None:
    write = archive(review)
    review.submit()
    write(io.BytesIO())  # what is made once and kept is not the archive's
    hand_in_much(review.course, submissions=submissions, file_bytes=FILE_BYTES, result_bytes=result_bytes)
    with tempfile.TemporaryFile() as out:
        most = most_memory(lambda: write(out))
        size = out.seek(0, 2)
        with zipfile.ZipFile(out) as found:
            assert found.testzip() is None
            files = [name for name in found.namelist() if name.startswith("files/")]
    assert len(files) >= submissions
    assert size > submissions * (FILE_BYTES + result_bytes) * 2 // 3
    assert most < size / 2


def test_an_archive_shows_one_moment_whatever_is_handed_in_meanwhile(review: ReviewedCourse) -> None:
    review.submit()

    class Interrupting(io.BytesIO):
        """Somebody hands in once the first table has been read."""

        done = False

        def write(self, data: object, /) -> int:
            if self.tell() and not self.done:
                self.done = True
                review.submit(b"# handed in meanwhile\n" * 3, by=review.ben)
            return super().write(data)  # type: ignore[arg-type]

    out = Interrupting()
    whole_course(review)(out)
    with zipfile.ZipFile(out) as found:
        assert len(found.read("submissions.jsonl").splitlines()) == 1
        assert not any(b"meanwhile" in found.read(name) for name in found.namelist())
    with review.database.reading() as session:
        assert session.query(models.Submission).count() == 2


def test_what_fails_half_way_leaves_no_whole_archive() -> None:
    out = io.BytesIO()

    def fail() -> None:
        with ArchiveWriter(out, about={"kind": "course"}) as archive:
            archive.add("a.txt", b"a")
            raise LookupError

    with pytest.raises(LookupError):
        fail()
    with zipfile.ZipFile(out) as found:
        assert found.namelist() == ["a.txt"]  # and no manifest


def test_results_for_gradescope_are_a_folder_for_each_graded_submission(review: ReviewedCourse) -> None:
    review.submit()
    review.waiting(by=review.ben)
    out = io.BytesIO()
    name = write_assignment_results(review.database, out, actor=review.ines, course="jax", slug="doubling")
    assert name == "jax-doubling-gradescope.zip"
    with zipfile.ZipFile(out) as found:
        assert found.namelist() == ["ada-1/results.json", "manifest.json"]
        assert json.loads(found.read("ada-1/results.json"))["score"] == 5
