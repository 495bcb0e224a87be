from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import event

from grader.db import models
from grader.db.database import Database
from grader.domain.errors import NotAllowed, NotFound
from grader.domain.verdicts import Blame, Family, Verdict
from grader.services.reviewing import requests
from grader.services.reviewing.blind import blind_for
from grader.services.reviewing.commenting import comment
from grader.services.reviewing.filters import Order, QueueFilter, Reviewed
from grader.services.reviewing.marking import mark_reviewed
from grader.services.reviewing.queue import QueuePage, next_in_queue, review_queue
from tests.courses import SECRET
from tests.reviews import ReviewedCourse, text


def queue(school: ReviewedCourse, *, order: Order = Order.OLDEST, **wanted: Any) -> QueuePage:  # noqa: ANN401
    return review_queue(
        school.database, actor=school.tia, course="jax", wanted=QueueFilter(**wanted), order=order
    )


def ids(page: QueuePage) -> list[UUID]:
    return [item.submission_id for item in page.items]


def test_the_queue_holds_the_newest_submission_of_each_student(school: ReviewedCourse) -> None:
    old, new, bens = school.submit(), school.submit(), school.submit(by=school.ben)
    assert ids(queue(school)) == [new, bens]
    assert ids(queue(school, every=True)) == [old, new, bens]


def test_what_staff_hand_in_to_try_an_assignment_is_not_in_it(school: ReviewedCourse) -> None:
    school.submit(by=school.tia)
    assert ids(queue(school)) == []


def test_an_item_says_whose_it_is_and_what_it_needs(school: ReviewedCourse) -> None:
    submission = school.submit(text("it_doubles", "flag me"))
    requests.ask(school.database, actor=school.ada, submission_id=submission, text="Please look.")
    comment(school.database, actor=school.tia, submission_id=submission, text="Hm.")
    (item,) = queue(school).items
    assert (item.student, item.login, item.assignment, item.number) == ("Ada", "ada", "doubling", 1)
    assert (item.flags, item.comments, item.reviewed_at) == (1, 1, None)
    assert item.requested_at is not None
    assert (item.points, item.max_points) == (Fraction(10, 3), 5)


@pytest.mark.parametrize(
    "wanted",
    [
        {"criterion": "double.values"},
        {"family": Family.VALUES, "verdict": Verdict.FAILED},
        {"code": "values.differ", "criterion": "double.values"},
        {"flagged": True},
        {"requested": True},
        {"reviewed": Reviewed.NO},
        {"assignment": "doubling", "flagged": True},
        {"section": "A"},
    ],
)
def test_a_filter_leaves_what_fits_it(school: ReviewedCourse, wanted: dict[str, Any]) -> None:
    fits = school.submit(text("it_doubles", "flag me"))
    other = school.submit(text("it_traces"), by=school.ben)
    requests.ask(school.database, actor=school.ada, submission_id=fits, text="Please look.")
    mark_reviewed(school.database, actor=school.tia, submission_id=other, seen=0)
    with school.database.writing() as session:
        session.add(
            models.RosterEntry(course_id=school.course.course_id, user_id=school.ada.user_id, section="A")
        )
    assert ids(queue(school, **wanted)) == [fits]
    assert ids(queue(school)) == [fits, other]


def test_a_criterion_is_not_found_by_a_part_of_its_name(school: ReviewedCourse) -> None:
    school.submit(text("it_doubles"))
    for criterion in ("doubl", "double.value", "%", "double_values", "ouble.values"):
        assert ids(queue(school, criterion=criterion)) == []


def test_what_nobody_could_grade_is_found_by_staff(school: ReviewedCourse) -> None:
    school.submit(by=school.ben)
    lost = school.submit(judge=lambda *_: (Verdict.INTERNAL_ERROR, Blame.COURSE))
    for _ in range(3):
        with school.database.reading() as session:
            attempt = session.query(models.Attempt).filter_by(submission_id=lost).one()
        if attempt.state.final:
            break
        school.grade(attempt.id, judge=lambda *_: (Verdict.INTERNAL_ERROR, Blame.COURSE))
    assert ids(queue(school, needs_staff=True)) == [lost]


def test_each_order_is_what_it_says(school: ReviewedCourse) -> None:
    adas = school.submit(text("it_doubles"))
    bens = school.submit(by=school.ben)
    zoe = school.submit(text("it_doubles", "it_traces"), by=school.student("zoe", name="Aaron"))
    requests.ask(school.database, actor=school.ben, submission_id=bens, text="Please look.")
    assert ids(queue(school, order=Order.OLDEST)) == [adas, bens, zoe]
    assert ids(queue(school, order=Order.NEWEST)) == [zoe, bens, adas]
    assert ids(queue(school, order=Order.NAME)) == [zoe, adas, bens]
    assert ids(queue(school, order=Order.FEWEST_POINTS)) == [zoe, adas, bens]
    assert ids(queue(school, order=Order.REQUESTS)) == [bens, adas, zoe]


def test_pages_follow_each_other_without_a_gap_while_others_review(school: ReviewedCourse) -> None:
    all_of_them = [school.submit(by=school.student(f"s{number}")) for number in range(7)]
    wanted = QueueFilter(reviewed=Reviewed.NO)
    seen: list[UUID] = []
    after: UUID | None = None
    while True:
        page = review_queue(
            school.database, actor=school.tia, course="jax", wanted=wanted, after=after, limit=2
        )
        seen += ids(page)
        for submission in ids(page):
            mark_reviewed(school.database, actor=school.tom, submission_id=submission, seen=0)
        after = page.after
        if after is None:
            break
    assert seen == all_of_them


def test_next_is_what_follows_even_after_this_one_was_marked(school: ReviewedCourse) -> None:
    one, two = school.submit(), school.submit(by=school.ben)
    mark_reviewed(school.database, actor=school.tia, submission_id=one, seen=0)
    wanted = QueueFilter(reviewed=Reviewed.NO)
    following = next_in_queue(school.database, actor=school.tia, course="jax", wanted=wanted, after=one)
    assert following == two
    assert next_in_queue(school.database, actor=school.tia, course="jax", wanted=wanted, after=two) is None
    assert next_in_queue(school.database, actor=school.tia, course="jax", wanted=wanted, after=uuid4()) == two


def test_blind_reading_names_nobody_and_has_its_own_lasting_order(school: ReviewedCourse) -> None:
    for number in range(12):
        school.submit(by=school.student(f"student-{number}", name=f"Person {number}"))
    course_id = school.course.course_id

    def read(actor: UUID, order: Order) -> QueuePage:
        blind = blind_for(SECRET, reader_id=actor, course_id=course_id)
        return review_queue(
            school.database, actor=school.tia, course="jax", wanted=QueueFilter(), order=order, blind=blind
        )

    tias, again = read(school.tia.user_id, Order.NAME), read(school.tia.user_id, Order.OLDEST)
    toms = read(school.tom.user_id, Order.NAME)
    assert tias.items == again.items
    assert ids(tias) != ids(toms)
    assert {item.student for item in tias.items}.isdisjoint({item.student for item in toms.items})
    assert ids(tias) != ids(queue(school))
    for item in tias.items:
        assert (item.login, item.section) == (None, None)
        assert "Person" not in item.student
    assert tias.choices.sections == ()


def test_the_filters_offer_what_there_is(school: ReviewedCourse) -> None:
    school.submit(text("it_doubles"))
    choices = queue(school).choices
    assert choices.assignments == (("doubling", "Doubling"),)
    assert choices.criteria == ("double.jit", "double.values", "half.values")
    assert choices.codes == ("values.differ",)


def test_the_queue_is_for_staff(school: ReviewedCourse) -> None:
    with pytest.raises(NotAllowed):
        review_queue(school.database, actor=school.ada, course="jax", wanted=QueueFilter())
    for course, actor in (("jax", school.stranger), ("other", school.tia)):
        with pytest.raises(NotFound):
            review_queue(school.database, actor=actor, course=course, wanted=QueueFilter())
    with pytest.raises(NotFound):
        queue(school, assignment="unknown")


def test_the_number_of_queries_does_not_grow_with_the_queue(school: ReviewedCourse) -> None:
    counts = []
    for number in range(2):
        for student in range(4):
            school.submit(by=school.student(f"s{number}-{student}"))
        with statements(school.database) as seen:
            queue(school, flagged=False, criterion="double.values", verdict=Verdict.PASSED)
        counts.append(len(seen))
    assert counts[0] == counts[1]


@contextmanager
def statements(database: Database) -> Iterator[list[str]]:
    seen: list[str] = []

    def remember(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
        seen.append(statement)

    event.listen(database.engine, "before_cursor_execute", remember)
    yield seen
    event.remove(database.engine, "before_cursor_execute", remember)
