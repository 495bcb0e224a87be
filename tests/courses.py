"""A small course for tests: an assignment of two functions, published, with students who may hand in."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from uuid import UUID, uuid4

from grader.content.assignments import read_assignment
from grader.content.student_bundles import zipped
from grader.db.database import Database
from grader.domain.people import Role
from grader.domain.rubric import Assignment, CheckSpec, Rubric
from grader.domain.verdicts import Family
from grader.services.people import enrol, ensure_course, ensure_person
from grader.services.publishing import PublishedVersion, publish
from grader.services.submitting import Receipt, submit
from grader.services.uploads import Upload

SECRET = b"a secret of at least 32 characters"
BUNDLE = zipped([("rubric/test_doubling.py", b"def test_it_doubles(): ...")], folder="doubling")
"""What students download to check their work; tests of what is in it make their own."""
SOLUTION = b"def double(x):\n    return 2 * x\n\n\ndef half(x):\n    return x / 2\n"

MANIFEST = """\
slug = "doubling"
title = "Doubling"
entry = "submission.py"
lesson = "lesson.md"
queue = "{queue}"

[limits]
attempt_s = {attempt_s}

[[functions]]
name = "double"

[[functions]]
name = "half"
"""


def write_assignment(
    root: Path, *, queue: str = "cpu", attempt_s: float = 30.0, lesson: str = ""
) -> Assignment:
    """An assignment folder as its author would write it."""
    files = {
        "assignment.toml": MANIFEST.format(queue=queue, attempt_s=attempt_s),
        "lesson.md": f"# Doubling\n{lesson}",
        "starter/submission.py": "def double(x): ...\n\n\ndef half(x): ...\n",
        "solution/submission.py": SOLUTION.decode(),
        "rubric/test_doubling.py": "def test_it_doubles(): ...\n",
    }
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content, encoding="utf-8")
    return read_assignment(root)


def rubric() -> Rubric:
    """Three checks; points that are no floats."""
    worth = {"double.values.it_doubles": "5/3", "double.jit.it_traces": "4/3", "half.values.it_halves": "2"}
    return Rubric(
        checks=tuple(
            CheckSpec(
                id=check_id,
                node_id=f"test_doubling.py::test_{check_id.rsplit('.', 1)[1]}",
                title=check_id,
                family=Family(check_id.split(".")[1]),
                function=check_id.split(".")[0],
                points=Fraction(points),
            )
            for check_id, points in worth.items()
        )
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleCourse:
    """A published assignment and a student, with short ways to use them."""

    database: Database
    course_id: UUID
    version: PublishedVersion
    student_id: UUID
    folder: Path

    def enrol(self, login: str, role: Role = Role.STUDENT) -> UUID:
        person = ensure_person(self.database, login=login)
        enrol(self.database, course_id=self.course_id, user_id=person.id, role=role)
        return person.id

    def submit(
        self,
        data: bytes = SOLUTION,
        *,
        name: str = "submission.py",
        user_id: UUID | None = None,
        key: str | None = None,
    ) -> Receipt:
        return submit(
            self.database,
            uploads=[Upload(name=name, data=data)],
            assignment_id=self.version.assignment_id,
            user_id=self.student_id if user_id is None else user_id,
            idempotency_key=str(uuid4()) if key is None else key,
            secret=SECRET,
        )


def sample_course(
    database: Database, folder: Path, *, queue: str = "cpu", attempt_s: float = 30.0
) -> SampleCourse:
    """Publish the small assignment and enrol Ada."""
    course = ensure_course(database, slug="jax", title="JAX")
    ada = ensure_person(database, login="ada", name="Ada")
    enrol(database, course_id=course.id, user_id=ada.id)
    assignment = write_assignment(folder, queue=queue, attempt_s=attempt_s)
    version = publish(database, course_id=course.id, assignment=assignment, rubric=rubric(), bundle=BUNDLE)
    return SampleCourse(
        database=database, course_id=course.id, version=version, student_id=ada.id, folder=folder
    )
