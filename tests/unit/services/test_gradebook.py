from __future__ import annotations

from fractions import Fraction

import pytest

from grader.db.database import Database
from grader.domain.errors import Conflict, EditConflict, InvalidInput, NotAllowed, NotFound
from grader.domain.people import Role
from grader.services.access import Actor
from grader.services.courses import (
    CourseSettings,
    SettingsWanted,
    change_course,
    course_settings,
    create_course,
)
from grader.services.dashboard import assignment_dashboard
from grader.services.gradebook import Gradebook, gradebook
from grader.services.health import health, requeue_stranded
from grader.services.roster.members import Entry, change_member
from grader.services.student_record import student_record
from tests.bench.gradebook import Size, build, statements_of
from tests.reviews import ReviewedCourse, text
from tests.unit.services.test_regrading import nobody_can_say


def book(review: ReviewedCourse, **options: object) -> Gradebook:
    return gradebook(review.database, actor=review.tia, course="jax", **options)  # type: ignore[arg-type]


def logins(found: Gradebook) -> list[str]:
    return [row.student.login for row in found.rows]


def test_every_student_has_a_row_also_without_work_and_staff_have_none(review: ReviewedCourse) -> None:
    review.submit(text("it_halves"))
    review.submit(by=review.tia)
    found = book(review)
    assert logins(found) == ["ada", "ben"]
    assert [row.total for row in found.rows] == [Fraction(3), 0]
    assert found.max_total == 5


@pytest.mark.parametrize(
    "sort, expected",
    [
        ("name", ["ada", "ben"]),
        ("doubling", ["ben", "ada"]),
        ("total", ["ben", "ada"]),
        ("login", ["ada", "ben"]),
    ],
)
def test_rows_are_sorted_as_asked_and_turned_round(
    review: ReviewedCourse, sort: str, expected: list[str]
) -> None:
    review.submit()
    assert logins(book(review, sort=sort)) == expected
    assert logins(book(review, sort=sort, descending=True)) == expected[::-1]


def test_rows_are_not_sorted_by_what_is_no_column(review: ReviewedCourse) -> None:
    with pytest.raises(InvalidInput, match=r"nothing called .*DROP TABLE.*total, doubling"):
        book(review, sort="'; DROP TABLE")


def test_one_section_can_be_looked_at(review: ReviewedCourse) -> None:
    change_member(
        review.database,
        actor=review.ines,
        course="jax",
        login="ben",
        seen=1,
        wanted=Entry(role=Role.STUDENT, section="Monday"),
    )
    found = book(review, section="Monday")
    assert (logins(found), found.sections) == (["ben"], ("Monday",))


@pytest.mark.parametrize(
    "size", [Size(students=3, assignments=2), Size(students=25, assignments=5, submissions=3)]
)
def test_a_large_course_takes_no_more_queries_than_a_small_one(database: Database, size: Size) -> None:
    actor = build(database, size)
    found: list[Gradebook] = []
    seen = statements_of(database, lambda: found.append(gradebook(database, actor=actor, course="big")))
    assert (len(found[0].rows), len(seen)) == (size.students, 11)


def test_only_staff_read_gradebooks_and_records(review: ReviewedCourse) -> None:
    for actor, error in ((review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            gradebook(review.database, actor=actor, course="jax")
        with pytest.raises(error):
            student_record(review.database, actor=actor, course="jax", login="ada")
    with pytest.raises(NotFound, match="tia"):
        student_record(review.database, actor=review.ines, course="jax", login="tia")


def test_a_dashboard_counts_students_and_what_they_lose_points_on(review: ReviewedCourse) -> None:
    review.submit(text("it_halves"))
    review.submit(text("it_halves"), by=review.ben)
    found = assignment_dashboard(review.database, actor=review.tia, course="jax", slug="doubling")
    assert (found.students, found.started, found.submissions, found.ungraded) == (2, 2, 2, 0)
    assert sum(day.count for day in found.days) == 2
    assert [band.count for band in found.bands if band.low == 60] == [2]
    assert (found.criteria[0].criterion_id, found.criteria[0].rate) == ("half.values", 1)
    assert len(found.clusters[0].members) == 2
    assert len(found.slowest) == 2


def test_a_stranded_attempt_is_listed_started_again_and_then_graded(review: ReviewedCourse) -> None:
    receipt = review.course.submit()
    review.grade(receipt.attempt_id, judge=nobody_can_say)
    [stranded] = health(review.database, actor=review.tia, course="jax").stranded
    assert stranded.attempt_id == receipt.attempt_id
    assert requeue_stranded(review.database, actor=review.tia, course="jax") == 1
    now = health(review.database, actor=review.tia, course="jax")
    assert (now.stranded, now.lanes[0].queued) == ((), 1)
    assert now.lanes[0].oldest is not None
    review.grade(receipt.attempt_id)
    assert book(review).rows[0].total == 5
    with pytest.raises(Conflict, match="graded"):
        requeue_stranded(review.database, actor=review.tia, course="jax", attempt_ids=[receipt.attempt_id])


def test_workers_seen_lately_are_named(review: ReviewedCourse) -> None:
    review.submit()
    [worker] = health(review.database, actor=review.tia, course="jax").workers
    assert (worker.name, worker.running) == ("here:1", 0)


def test_students_do_not_look_into_the_engine_room(review: ReviewedCourse) -> None:
    for actor, error in ((review.ada, NotAllowed), (review.stranger, NotFound)):
        with pytest.raises(error):
            health(review.database, actor=actor, course="jax")
        with pytest.raises(error):
            requeue_stranded(review.database, actor=actor, course="jax")


def may_create(actor: Actor) -> Actor:
    return Actor(user_id=actor.user_id, login=actor.login, name=actor.name, may_create_courses=True)


def make(review: ReviewedCourse, actor: Actor, slug: str = "jax-2", zone: str = "UTC") -> CourseSettings:
    return create_course(review.database, actor=actor, slug=slug, title="JAX 2", timezone=zone)


def test_a_course_belongs_to_who_made_it(review: ReviewedCourse) -> None:
    made = make(review, may_create(review.tia), zone="Europe/Zurich")
    seen = course_settings(review.database, actor=review.tia, course="jax-2")
    assert seen == made
    with pytest.raises(NotFound):
        course_settings(review.database, actor=review.ines, course="jax-2")


def test_who_may_not_make_courses_does_not(review: ReviewedCourse) -> None:
    with pytest.raises(NotAllowed):
        make(review, review.ines)


@pytest.mark.parametrize("slug", ["new", "", "-x", "x_y", "a/b", "x" * 65, "é"])
def test_a_short_name_has_to_fit_into_an_address(review: ReviewedCourse, slug: str) -> None:
    with pytest.raises(InvalidInput, match="short name"):
        make(review, may_create(review.tia), slug=slug)


def test_a_short_name_is_taken_once(review: ReviewedCourse) -> None:
    with pytest.raises(Conflict, match="jax"):
        make(review, may_create(review.tia), slug="jax")


def test_settings_are_changed_by_version_and_a_course_can_be_archived(review: ReviewedCourse) -> None:
    def change(seen: int, *, archived: bool) -> CourseSettings:
        return change_course(
            review.database,
            actor=review.ines,
            course="jax",
            seen=seen,
            wanted=SettingsWanted(title="JAX", timezone="UTC", grace_days=2, archived=archived),
        )

    archived = change(1, archived=True)
    assert archived.archived_at is not None
    with pytest.raises(EditConflict):
        change(1, archived=False)
    assert change(archived.version, archived=False).archived_at is None
