from __future__ import annotations

import threading
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select

from grader.db import models
from grader.domain.errors import EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.text import has_hidden_characters
from grader.services.reviewing import commenting
from grader.services.reviewing.commenting import CommentView, comments_on
from grader.services.reviewing.places import Place
from grader.services.reviewing.versions import version_of
from tests.builders import HOSTILE
from tests.reviews import DOUBLES, ReviewedCourse

LINE = Place(file="submission.py", line=2)


def comments(
    school: ReviewedCourse, submission_id: UUID, *, for_staff: bool = True
) -> tuple[CommentView, ...]:
    with school.database.reading() as session:
        return comments_on(session, submission_id, for_staff=for_staff)


def test_a_comment_stands_at_a_line_at_a_check_or_at_the_whole(school: ReviewedCourse) -> None:
    submission = school.submit()
    places = (LINE, Place(check_id=DOUBLES), Place())
    for place in places:
        commenting.comment(
            school.database, actor=school.tia, submission_id=submission, text="Look here.", place=place
        )
    assert tuple(item.place for item in comments(school, submission)) == places
    assert {item.author for item in comments(school, submission)} == {"Tia"}


def test_students_are_not_shown_what_is_for_staff_only(school: ReviewedCourse) -> None:
    submission = school.submit()
    for text, staff_only in (("Well done.", False), ("Copied?", True)):
        commenting.comment(
            school.database, actor=school.tia, submission_id=submission, text=text, staff_only=staff_only
        )
    assert [item.text for item in comments(school, submission, for_staff=False)] == ["Well done."]
    assert len(comments(school, submission)) == 2


@pytest.mark.parametrize(
    "place, field",
    [
        (Place(file="submission.py", line=99), "line"),
        (Place(file="submission.py", line=0), "line"),
        (Place(file="other.py", line=1), "file"),
        (Place(file="submission.py"), "line"),
        (Place(line=1), "line"),
        (Place(check_id="double.values.unknown"), "check"),
    ],
)
def test_a_place_that_the_submission_does_not_have_is_refused(
    school: ReviewedCourse, place: Place, field: str
) -> None:
    submission = school.submit()
    with pytest.raises(InvalidInput) as refused:
        commenting.comment(school.database, actor=school.tia, submission_id=submission, text="a", place=place)
    assert refused.value.field == field


@pytest.mark.parametrize("text", ["", " \n\t", "a" * 10_001])
def test_a_comment_has_some_text_and_not_too_much(school: ReviewedCourse, text: str) -> None:
    submission = school.submit()
    with pytest.raises(InvalidInput, match="comment"):
        commenting.comment(school.database, actor=school.tia, submission_id=submission, text=text)


def test_a_comment_is_kept_without_anything_that_acts(school: ReviewedCourse) -> None:
    submission = school.submit()
    kept = commenting.comment(school.database, actor=school.tia, submission_id=submission, text=HOSTILE)
    assert not has_hidden_characters(kept.text)
    assert comments(school, submission)[0].text == kept.text


def test_its_author_changes_a_comment_and_the_record_keeps_what_it_said(school: ReviewedCourse) -> None:
    submission = school.submit()
    first = commenting.comment(school.database, actor=school.tia, submission_id=submission, text="Wrnog.")
    changed = commenting.edit(
        school.database, actor=school.tia, comment_id=first.id, text="Wrong.", staff_only=True, seen=1
    )
    assert (changed.text, changed.staff_only, changed.version) == ("Wrong.", True, 2)
    assert changed.edited_at is not None
    with school.database.reading() as session:
        event = session.scalars(
            select(models.AuditEvent).where(models.AuditEvent.action == "comment.edited")
        ).one()
    assert event.actor_id == school.tia.user_id
    assert event.data["before"] == {"text": "Wrnog.", "staff_only": False}


def test_nobody_changes_the_words_of_another(school: ReviewedCourse) -> None:
    first = commenting.comment(school.database, actor=school.tia, submission_id=school.submit(), text="Mine.")
    for actor in (school.tom, school.ines):
        with pytest.raises(NotAllowed):
            commenting.edit(
                school.database, actor=actor, comment_id=first.id, text="Ours.", staff_only=False, seen=1
            )


def test_a_comment_is_deleted_by_its_author_or_an_instructor_and_stays_in_the_record(
    school: ReviewedCourse,
) -> None:
    submission = school.submit()
    one, two = (
        commenting.comment(school.database, actor=school.tia, submission_id=submission, text=text)
        for text in ("One.", "Two.")
    )
    with pytest.raises(NotAllowed):
        commenting.delete(school.database, actor=school.tom, comment_id=one.id, seen=1)
    commenting.delete(school.database, actor=school.tia, comment_id=one.id, seen=1)
    commenting.delete(school.database, actor=school.ines, comment_id=two.id, seen=1)
    assert comments(school, submission) == ()
    with school.database.reading() as session:
        texts = {
            event.data["before"]["text"]
            for event in session.scalars(
                select(models.AuditEvent).where(models.AuditEvent.action == "comment.deleted")
            )
        }
    assert texts == {"One.", "Two."}
    with pytest.raises(NotFound):
        commenting.delete(school.database, actor=school.tia, comment_id=one.id, seen=2)


def test_a_change_of_what_has_changed_meanwhile_is_refused(school: ReviewedCourse) -> None:
    first = commenting.comment(school.database, actor=school.tia, submission_id=school.submit(), text="A.")
    commenting.edit(
        school.database, actor=school.tia, comment_id=first.id, text="B.", staff_only=False, seen=1
    )
    with pytest.raises(EditConflict):
        commenting.edit(
            school.database, actor=school.tia, comment_id=first.id, text="C.", staff_only=False, seen=1
        )
    with pytest.raises(EditConflict):
        commenting.delete(school.database, actor=school.ines, comment_id=first.id, seen=1)


def test_only_staff_comment_and_others_cannot_tell_that_a_comment_exists(school: ReviewedCourse) -> None:
    submission = school.submit()
    with pytest.raises(NotAllowed):
        commenting.comment(school.database, actor=school.ada, submission_id=submission, text="Mine.")
    for actor in (school.ben, school.stranger):
        with pytest.raises(NotFound):
            commenting.comment(school.database, actor=actor, submission_id=submission, text="Hello.")
    first = commenting.comment(school.database, actor=school.tia, submission_id=submission, text="A.")
    for actor, comment_id in ((school.ada, first.id), (school.stranger, first.id), (school.tia, uuid4())):
        with pytest.raises(NotFound, match=f"no comment named '{comment_id}'"):
            commenting.delete(school.database, actor=actor, comment_id=comment_id, seen=1)


def test_twenty_comments_at_once_are_all_kept_and_all_counted(school: ReviewedCourse) -> None:
    submission = school.submit()
    threads = [
        threading.Thread(
            target=commenting.comment,
            args=(school.database,),
            kwargs={"actor": school.tia, "submission_id": submission, "text": f"Comment {number}."},
        )
        for number in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {item.text for item in comments(school, submission)} == {f"Comment {n}." for n in range(20)}
    with school.database.reading() as session:
        assert version_of(session, submission) == 20
