from __future__ import annotations

import threading
from uuid import UUID

import pytest

from grader.db import models
from grader.domain.errors import InvalidInput, NotAllowed, NotFound
from grader.services.reviewing.clusters import Cluster, ClusterComment, clusters_of, comment_on_cluster
from grader.services.reviewing.commenting import CommentView, comments_on
from grader.services.reviewing.places import Place
from tests.reviews import DOUBLES, ReviewedCourse, text


def found(school: ReviewedCourse, *, least: int = 2) -> tuple[Cluster, ...]:
    return clusters_of(
        school.database, actor=school.tia, course="jax", assignment="doubling", least=least
    ).clusters


def say(school: ReviewedCourse, cluster: Cluster, words: str = "Two times x.") -> ClusterComment:
    return comment_on_cluster(
        school.database, actor=school.tia, course="jax", assignment="doubling", key=cluster.key, text=words
    )


def comments(school: ReviewedCourse, submission_id: UUID) -> tuple[CommentView, ...]:
    with school.database.reading() as session:
        return comments_on(session, submission_id, for_staff=False)


@pytest.fixture
def three(school: ReviewedCourse) -> list[UUID]:
    """Ada's and Ben's lines differ in names alone; Cleo's is of another shape."""
    return [
        school.submit(text("it_doubles", line="    return 3 * x")),
        school.submit(text("it_doubles", line="    return 22*value  # ?"), by=school.ben),
        school.submit(text("it_doubles", line="    return x + 1"), by=school.student("cleo")),
    ]


def test_failures_of_one_check_at_lines_of_one_shape_are_one_cluster(
    school: ReviewedCourse, three: list[UUID]
) -> None:
    (cluster,) = found(school)
    assert (cluster.check_id, cluster.code, cluster.shape) == (DOUBLES, "values.differ", "return 0*_")
    assert {member.submission_id for member in cluster.members} == set(three[:2])
    assert [len(item.members) for item in found(school, least=1)] == [2, 1]


def test_a_student_is_counted_with_the_newest_submission_alone(
    school: ReviewedCourse, three: list[UUID]
) -> None:
    school.submit()
    assert found(school) == ()
    assert len(three) == 3


def test_one_comment_reaches_every_member_at_its_own_line_and_nobody_else(
    school: ReviewedCourse, three: list[UUID]
) -> None:
    assert say(school, found(school)[0]) == ClusterComment(written=2, present=0)
    place = Place(file="submission.py", line=2, check_id=DOUBLES)
    for submission in three[:2]:
        (only,) = comments(school, submission)
        assert (only.text, only.place, only.author) == ("Two times x.", place, "Tia")
    assert comments(school, three[2]) == ()


def test_saying_it_again_adds_nothing_and_reaches_whoever_is_new(
    school: ReviewedCourse, three: list[UUID]
) -> None:
    say(school, found(school)[0])
    assert say(school, found(school)[0]) == ClusterComment(written=0, present=2)
    school.submit(text("it_doubles", line="    return 4 * y"), by=school.student("dora"))
    assert say(school, found(school)[0]) == ClusterComment(written=1, present=2)
    assert len(comments(school, three[0])) == 1


def test_a_double_click_writes_each_comment_once(school: ReviewedCourse, three: list[UUID]) -> None:
    cluster = found(school)[0]
    threads = [threading.Thread(target=say, args=(school, cluster)) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [len(comments(school, submission)) for submission in three] == [1, 1, 0]


def test_a_cluster_that_is_not_there_is_said_so(school: ReviewedCourse, three: list[UUID]) -> None:
    with pytest.raises(NotFound, match="no cluster"):
        comment_on_cluster(
            school.database,
            actor=school.tia,
            course="jax",
            assignment="doubling",
            key="0" * 16,
            text="Hello.",
        )
    with pytest.raises(InvalidInput):
        say(school, found(school)[0], " ")
    assert comments(school, three[0]) == ()


def test_the_shape_of_a_line_names_nobody_where_names_are_hidden(school: ReviewedCourse) -> None:
    line = "    return model.lovelorn_layer(x)"
    for author in (school.ada, school.student("lena", name="Lena Lovelorn")):
        school.submit(text("it_doubles", line=line), by=author)
    open_to_all = found(school)[0]
    with school.database.writing() as session:
        session.add(models.CoursePolicy(course_id=school.course.course_id, names_hidden=True))
    hidden = found(school)[0]
    assert (open_to_all.shape, hidden.shape) == ("return _.lovelorn_layer(_)", "return _.•••_layer(_)")
    assert say(school, hidden) == ClusterComment(written=2, present=0)


def test_clusters_are_for_staff(school: ReviewedCourse) -> None:
    with pytest.raises(NotAllowed):
        clusters_of(school.database, actor=school.ada, course="jax", assignment="doubling")
    with pytest.raises(NotFound):
        clusters_of(school.database, actor=school.stranger, course="jax", assignment="doubling")
