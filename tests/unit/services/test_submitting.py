from __future__ import annotations

import hashlib
import subprocess
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState, Lane, Queue
from grader.domain.errors import Conflict, NotAllowed, NotFound, UploadRefused
from grader.services import reading
from grader.services.people import ensure_person
from grader.services.seeding import derive_seed
from grader.services.submitting import submit
from grader.services.uploads import Upload, content_hash_of
from tests.courses import SECRET, SOLUTION, SampleCourse


def count(database: Database, table: type[models.Base]) -> int:
    with database.reading() as session:
        return session.scalars(select(func.count()).select_from(table)).one()


def test_a_submission_is_stored_with_its_attempt_and_the_message_that_announces_it(
    course: SampleCourse,
) -> None:
    receipt = course.submit()
    with course.database.reading() as session:
        attempt = session.get_one(models.Attempt, receipt.attempt_id)
        message = session.scalars(select(models.OutboxMessage)).one()
    assert attempt.state is AttemptState.QUEUED
    assert attempt.version_id == course.version.version_id
    assert attempt.seed == derive_seed(SECRET, attempt.id)
    assert (message.attempt_id, message.queue, message.lane) == (attempt.id, Queue.CPU, Lane.INTERACTIVE)
    assert message.time_limit_s == 30 + 360
    assert message.sent_at is None


def test_a_receipt_says_what_was_received_and_when(course: SampleCourse) -> None:
    receipt = course.submit()
    assert (receipt.assignment, receipt.student, receipt.number) == ("doubling", "ada", 1)
    assert receipt.content_hash == hashlib.sha256(SOLUTION).hexdigest()
    assert abs(receipt.received_at - datetime.now(UTC)) < timedelta(minutes=1)
    assert (
        reading.files_of(course.database, receipt.submission_id).text_of("submission.py") == SOLUTION.decode()
    )


def test_handing_in_again_is_the_next_submission(course: SampleCourse) -> None:
    assert [course.submit().number for _ in range(3)] == [1, 2, 3]


def test_everybody_counts_from_one(course: SampleCourse) -> None:
    course.submit()
    assert course.submit(user_id=course.enrol("ben")).number == 1


def test_the_same_request_twice_is_one_submission(course: SampleCourse) -> None:
    first = course.submit(key="k")
    again = course.submit(key="k")
    assert (again.submission_id, again.attempt_id, again.number) == (first.submission_id, first.attempt_id, 1)
    assert (first.repeated, again.repeated) == (False, True)
    for table in (models.Submission, models.Attempt, models.OutboxMessage):
        assert count(course.database, table) == 1


def test_the_same_key_with_another_file_is_a_conflict(course: SampleCourse) -> None:
    course.submit(key="k")
    with pytest.raises(Conflict, match="submission 1, for another file"):
        course.submit(SOLUTION + b"# more\n", key="k")


def test_two_students_may_use_the_same_key(course: SampleCourse) -> None:
    course.submit(key="k")
    assert not course.submit(key="k", user_id=course.enrol("ben")).repeated


def test_submissions_at_once_are_numbered_without_gaps_or_duplicates(course: SampleCourse) -> None:
    """Eight threads: a student with a nervous finger, and one with two laptops and the same key."""
    receipts, errors = [], []

    def hand_in(key: str) -> None:
        try:
            receipts.extend(course.submit(key=key) for _ in range(3))
        except Exception as error:  # noqa: BLE001 - reported below
            errors.append(error)

    threads = [threading.Thread(target=hand_in, args=(f"key {number % 6}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(receipts) == 24
    assert {receipt.number for receipt in receipts} == {1, 2, 3, 4, 5, 6}
    assert sum(not receipt.repeated for receipt in receipts) == 6
    assert count(course.database, models.Attempt) == 6


def test_the_same_content_is_stored_once(course: SampleCourse) -> None:
    before = count(course.database, models.StoredFile)
    course.submit(SOLUTION + b"#\n")
    course.submit(SOLUTION + b"#\n", user_id=course.enrol("ben"))
    assert count(course.database, models.StoredFile) == before + 1


@pytest.mark.parametrize(
    "uploads", [[], [Upload(name="a.py", data=b"")], [Upload(name="a.py", data=b"\x7fELF\0\1")]]
)
def test_an_upload_that_cannot_be_read_leaves_no_trace(course: SampleCourse, uploads: list[Upload]) -> None:
    with pytest.raises(UploadRefused):
        submit(
            course.database,
            uploads=uploads,
            assignment_id=course.version.assignment_id,
            user_id=course.student_id,
            idempotency_key="k",
            secret=SECRET,
        )
    assert count(course.database, models.Submission) == 0
    assert course.submit(key="k").number == 1


def test_a_file_that_does_not_parse_is_accepted_since_that_is_a_finding(course: SampleCourse) -> None:
    assert course.submit(b"def double(x:\n").number == 1


def test_a_stranger_cannot_hand_in(course: SampleCourse) -> None:
    stranger = ensure_person(course.database, login="eve")
    with pytest.raises(NotAllowed, match="eve is not a member"):
        course.submit(user_id=stranger.id)


def test_an_unknown_assignment_is_named(course: SampleCourse) -> None:
    with pytest.raises(NotFound, match="assignment"):
        submit(
            course.database,
            uploads=[Upload(name="a.py", data=SOLUTION)],
            assignment_id=uuid4(),
            user_id=course.student_id,
            idempotency_key="k",
            secret=SECRET,
        )


def test_the_hash_on_a_receipt_can_be_checked_with_sha256sum(tmp_path: Path) -> None:
    uploads = [Upload(name="b.py", data=b"B"), Upload(name="a.py", data=b"A")]
    for upload in uploads:
        (tmp_path / upload.name).write_bytes(upload.data)
    command = "sha256sum a.py b.py | sha256sum"
    printed = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, check=True).stdout
    assert content_hash_of(uploads) == printed.decode().split()[0]
    assert content_hash_of(uploads) == content_hash_of(uploads[::-1])


def test_a_hostile_file_name_is_made_plain_and_read_alike_ever_after(course: SampleCourse) -> None:
    receipt = course.submit(name="work\x00\u202e\udc80.py")
    assert reading.files_of(course.database, receipt.submission_id).files[0].text == SOLUTION.decode()
