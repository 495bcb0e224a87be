from __future__ import annotations

import json
from dataclasses import asdict
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest

from grader.domain.attempts import AttemptState
from grader.domain.errors import Conflict, EditConflict, NotAllowed, NotFound
from grader.domain.verdicts import Verdict
from grader.services.reviewing import requests
from grader.services.reviewing.adjusting import Change, adjust
from grader.services.reviewing.blind import blind_for
from grader.services.reviewing.commenting import comment
from grader.services.reviewing.marking import grade_again, mark_reviewed
from grader.services.reviewing.opening import Dossier, open_submission, real_file
from grader.services.reviewing.places import Place
from tests.courses import SECRET
from tests.reviews import ReviewedCourse, text


def dossier(school: ReviewedCourse, submission_id: UUID, **options: Any) -> Dossier:  # noqa: ANN401
    return open_submission(school.database, actor=school.tia, submission_id=submission_id, **options)


def test_a_reviewer_sees_everything_of_a_submission(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles", "flag me"))
    comment(school.database, actor=school.tom, submission_id=submission, text="Hm.", staff_only=True)
    requests.ask(school.database, actor=school.ada, submission_id=submission, text="Please look.")
    adjust(
        school.database,
        actor=school.tom,
        submission_id=submission,
        change=Change(points=Fraction(1)),
        reason="Tidy.",
        seen=1,
    )
    found = dossier(school, submission)
    assert (found.student, found.login, found.assignment, found.number) == ("Ada", "ada", "doubling", 1)
    assert found.view is not None
    assert found.view.flags == ("integrity.unclear",)
    assert (found.earned, found.adjusted_by, found.points, found.max_points) == (
        Fraction(10, 3),
        1,
        Fraction(13, 3),
        5,
    )
    assert [item.text for item in found.comments] == ["Hm."]
    assert [item.reason for item in found.adjustments] == ["Tidy."]
    assert [item.text for item in found.requests] == ["Please look."]
    assert found.review.version == 2


def test_every_attempt_can_be_looked_at_and_the_one_that_counts_is_shown_first(
    school: ReviewedCourse,
) -> None:
    submission = school.submit(text("it_doubles"))
    school.grade(
        grade_again(school.database, actor=school.tia, submission_id=submission, secret=SECRET),
        judge=lambda *_: (Verdict.PASSED, None),
    )
    found = dossier(school, submission)
    assert [(line.number, line.counts) for line in found.attempts] == [(1, False), (2, True)]
    assert (found.shown, found.view and found.view.score) == (2, 5)
    earlier = dossier(school, submission, attempt=1)
    assert (earlier.shown, earlier.view and earlier.view.score) == (1, Fraction(10, 3))
    with pytest.raises(NotFound):
        dossier(school, submission, attempt=3)


def test_what_is_not_graded_yet_can_be_opened(school: ReviewedCourse) -> None:
    found = dossier(school, school.waiting())
    assert (found.shown, found.view, found.points) == (None, None, None)
    assert found.source.files[0].text.startswith("def double")


def test_a_submission_is_opened_by_staff_alone(school: ReviewedCourse) -> None:
    submission = school.submit()
    for actor in (school.ada, school.ben, school.stranger):
        with pytest.raises(NotFound):
            open_submission(school.database, actor=actor, submission_id=submission)


def test_a_blind_reader_finds_no_name_anywhere(school: ReviewedCourse) -> None:
    author = school.student("gracehop", name="Grace Hopper", email="grace@example.edu")
    data = b"# Grace Hopper, gracehop, grace@example.edu\n" + text("it_doubles", "print")
    submission = school.submit(data, by=author, name="hopper_grace.py")
    requests.ask(school.database, actor=author, submission_id=submission, text="Grace asks.")
    comment(school.database, actor=school.tia, submission_id=submission, text="Dear Grace")
    source_name = dossier(school, submission).source.files[0].name
    comment(
        school.database,
        actor=school.tia,
        submission_id=submission,
        text="Here.",
        place=Place(file=source_name, line=1),
    )
    blind = blind_for(SECRET, reader_id=school.tia.user_id, course_id=school.course.course_id)
    found = dossier(school, submission, blind=blind)
    told = json.dumps(asdict(found), default=str).lower()
    for word in ("grace", "hopper", "gracehop"):
        assert word not in told
    assert found.student == blind.pseudonym(author.user_id)
    assert found.view is not None
    assert found.view.score == Fraction(10, 3)
    assert real_file(school.database, actor=school.tia, submission_id=submission, shown=0) == source_name
    with pytest.raises(NotFound):
        real_file(school.database, actor=school.tia, submission_id=submission, shown=1)


def test_a_mark_is_set_and_taken_back_by_version(school: ReviewedCourse) -> None:
    submission = school.submit()
    version = mark_reviewed(school.database, actor=school.tia, submission_id=submission, seen=0)
    assert dossier(school, submission).review.reviewed_by == "Tia"
    with pytest.raises(EditConflict):
        mark_reviewed(school.database, actor=school.tom, submission_id=submission, seen=0)
    mark_reviewed(school.database, actor=school.tom, submission_id=submission, seen=version, reviewed=False)
    assert dossier(school, submission).review.reviewed_at is None
    with pytest.raises(NotAllowed):
        mark_reviewed(school.database, actor=school.ada, submission_id=submission, seen=2)


def test_grading_again_happens_once_and_for_staff_alone(school: ReviewedCourse) -> None:
    submission = school.submit()
    with pytest.raises(NotAllowed):
        grade_again(school.database, actor=school.ada, submission_id=submission, secret=SECRET)
    grade_again(school.database, actor=school.tia, submission_id=submission, secret=SECRET)
    with pytest.raises(Conflict, match="Attempt 2"):
        grade_again(school.database, actor=school.tom, submission_id=submission, secret=SECRET)
    states = [line.state for line in dossier(school, submission).attempts]
    assert states == [AttemptState.GRADED, AttemptState.QUEUED]
