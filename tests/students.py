"""A course whose assignment has a check of every visibility, and short ways to be graded there."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any
from uuid import UUID

from grader.db import models
from grader.domain.results import AttemptResult, EvidenceKind
from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.verdicts import Family, Verdict, Visibility
from grader.services import reading
from grader.services.access import Actor
from grader.services.leases import claim
from grader.services.people import ensure_person
from grader.services.policy import QueuePolicy
from grader.services.publishing import PublishedVersion, publish
from grader.services.settling import settle_graded
from grader.services.submitting import Receipt
from tests.builders import a_check, an_attempt, evidence
from tests.courses import SOLUTION, SampleCourse, write_assignment

OPEN = "double.values.it_doubles"
AFTER_DUE = "double.jit.secret_traced_once"
AFTER_RELEASE = "half.values.secret_halves_all"
SEALED = "half.purity.secret_stays_pure"

WORTH: dict[str, tuple[Visibility, int]] = {
    OPEN: (Visibility.VISIBLE, 2),
    AFTER_DUE: (Visibility.AFTER_DUE, 3),
    AFTER_RELEASE: (Visibility.AFTER_PUBLISHED, 4),
    SEALED: (Visibility.HIDDEN, 5),
}
EVERYTHING = frozenset(WORTH)

SEED = "5eed" * 16
PRINTED = "what the submission printed for a hidden input"


def marker(check_id: str) -> str:
    """A word that is part of everything about one check, and of nothing else: id, title, inputs, values."""
    return check_id.rsplit(".", 1)[1]


def specs() -> tuple[CheckSpec, ...]:
    """The checks; every word of a hidden one can be told from those of the others."""
    return tuple(
        CheckSpec(
            id=check_id,
            node_id=f"test_doubling.py::test_{marker(check_id)}",
            title=f"Title of {marker(check_id)}.",
            family=Family(check_id.split(".")[1]),
            function=check_id.split(".")[0],
            points=Fraction(points),
            visibility=visibility,
        )
        for check_id, (visibility, points) in WORTH.items()
    )


def publish_hidden(course: SampleCourse, *, bundle: bytes | None = None) -> PublishedVersion:
    """Publish the assignment anew, with a check of every visibility."""
    assignment = write_assignment(course.folder, lesson="\n## Pure functions\n\nA lesson.\n")
    return publish(
        course.database,
        course_id=course.course_id,
        assignment=assignment,
        rubric=Rubric(checks=specs()),
        bundle=bundle,
    )


def a_result(passed: Collection[str] = EVERYTHING, **changes: Any) -> AttemptResult:  # noqa: ANN401 - any field
    """A result in which those checks passed; the others failed, with evidence that names them."""
    checks = [
        a_check(
            spec.id,
            Verdict.PASSED if spec.id in passed else Verdict.FAILED,
            **_told(spec) if spec.id not in passed else {},
            node_id=spec.node_id,
            title=spec.title,
            points=spec.points,
            visibility=spec.visibility,
        )
        for spec in specs()
    ]
    values: dict[str, Any] = {"assignment": "doubling", "seed": SEED, "output": PRINTED}
    return an_attempt(*checks, **{**values, **changes})


def _told(spec: CheckSpec) -> dict[str, Any]:
    arrays = evidence(
        EvidenceKind.ARRAYS,
        label="the result",
        dtype="float32",
        shape=[1],
        actual=[1.0],
        expected=[2.0],
        differs=[True],
        inputs=[{"name": "x", "text": f"an input of {marker(spec.id)}"}],
    )
    return {
        "code": "values.differ",
        "params": {"function": spec.function, "count": 1, "size": 1, "worst": 1.0},
        "line": 2,
        "evidence": (arrays,),
    }


def grade(course: SampleCourse, attempt_id: UUID, result: AttemptResult) -> None:
    """End an attempt with that result, as a worker would."""
    lease = claim(course.database, attempt_id, owner="test:1", policy=QueuePolicy())
    assert lease is not None
    settle_graded(
        course.database, lease, result, source=reading.files_of(course.database, lease.submission_id)
    )


def graded(
    course: SampleCourse,
    passed: Collection[str] = EVERYTHING,
    *,
    data: bytes = SOLUTION,
    user_id: UUID | None = None,
) -> Receipt:
    """Hand in, and be graded so that those checks pass."""
    receipt = course.submit(data, user_id=user_id)
    grade(course, receipt.attempt_id, a_result(passed))
    return receipt


def schedule(course: SampleCourse, **rules: Any) -> None:  # noqa: ANN401 - any column
    """Set dates and rules of the assignment."""
    with course.database.writing() as session:
        session.merge(models.AssignmentSchedule(assignment_id=course.version.assignment_id, **rules))


def actor(course: SampleCourse, login: str) -> Actor:
    """That person, logged in."""
    person = ensure_person(course.database, login=login)
    return Actor(user_id=person.id, login=person.login, name=person.name)
