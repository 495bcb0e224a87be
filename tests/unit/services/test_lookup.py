"""What people type: the start of an id, and lists of what is published."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotFound
from grader.services.lookup import find_submission, published_assignments, short_id
from grader.services.publishing import publish
from tests.courses import SampleCourse, write_assignment
from tests.courses import rubric as small_rubric


def test_the_start_of_an_id_is_enough_in_any_spelling(course: SampleCourse) -> None:
    found = course.submit().submission_id
    for typed in (short_id(found), str(found), found.hex[:4], f" {str(found).upper()[:10]} "):
        assert find_submission(course.database, typed) == found


def test_a_start_that_fits_several_asks_for_more(course: SampleCourse) -> None:
    course.submit()
    twins = [UUID(hex="abcdef" + "0" * 25 + digit) for digit in "12"]
    with course.database.writing() as session:
        first = session.scalars(select(models.Submission)).one()
        for number, twin in enumerate(twins, start=2):
            session.add(
                models.Submission(
                    id=twin,
                    assignment_id=first.assignment_id,
                    user_id=first.user_id,
                    number=number,
                    received_at=first.received_at,
                    idempotency_key=str(twin),
                    content_hash=first.content_hash,
                )
            )
    with pytest.raises(NotFound, match="Several ids begin so"):
        find_submission(course.database, "abcdef")
    assert find_submission(course.database, twins[1].hex) == twins[1]


@pytest.mark.parametrize("typed", ["", "abc", "xyzw", "0000", "g" * 32, "a" * 33, "%", "'--"])
def test_what_is_no_id_is_not_found(course: SampleCourse, typed: str) -> None:
    with pytest.raises(NotFound):
        find_submission(course.database, typed)


def test_published_assignments_are_listed_with_their_newest_version(
    course: SampleCourse, database: Database
) -> None:
    changed = write_assignment(course.folder, lesson="more words")
    publish(database, course_id=course.course_id, assignment=changed, rubric=small_rubric())
    [listed] = published_assignments(database, course_id=course.course_id)
    assert (listed.slug, listed.title, listed.number) == ("doubling", "Doubling", 2)
    assert listed.content_hash == changed.version
    assert published_assignments(database, course_id=UUID(int=0)) == ()
