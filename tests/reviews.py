"""A course under review for tests: staff, students, and submissions graded by what their text says."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from grader.db.database import Database
from grader.domain.people import Role
from grader.domain.results import AttemptResult, Progress
from grader.domain.rubric import Assignment
from grader.domain.submission import SubmittedFiles
from grader.services import grading
from grader.services.access import Actor
from grader.services.people import enrol, ensure_person
from grader.services.policy import QueuePolicy
from tests.courses import SampleCourse, sample_course
from tests.engines import Judge, TextEngine, by_text

POLICY = QueuePolicy(lease_s=30, retry_delay_s=0, resend_after_s=30, progress_every_s=0.01)
DOUBLES, TRACES, HALVES = "double.values.it_doubles", "double.jit.it_traces", "half.values.it_halves"


def text(*fails: str, line: str = "    return 2 * x") -> bytes:
    """A submission that fails the checks whose names it mentions; `line` is the one in question."""
    return f"def double(x):  # {' '.join(fails)}\n{line}\n\n\ndef half(x):\n    return x / 2\n".encode()


class FlaggingEngine(TextEngine):
    """Flags a submission that says so, and prints what it is told to."""

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None],
    ) -> AttemptResult:
        result = super().grade(files, assignment, seed=seed, on_progress=on_progress)
        source = files.text_of(files.entry)
        flags = ("integrity.unclear",) if "flag me" in source else ()
        return replace(result, flags=flags, output=source if "print" in source else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedCourse:
    """The sample course with people in every role: Ada and Ben hand in, Tia and Tom are TAs, Ines teaches."""

    course: SampleCourse
    ada: Actor
    ben: Actor
    tia: Actor
    tom: Actor
    ines: Actor
    stranger: Actor
    cache: Path

    @property
    def database(self) -> Database:
        return self.course.database

    def submit(
        self,
        data: bytes = text(),
        *,
        by: Actor | None = None,
        name: str = "submission.py",
        judge: Judge = by_text,
    ) -> UUID:
        """Hand in and grade; returns the submission."""
        user_id = (by or self.ada).user_id
        receipt = self.course.submit(data, name=name, user_id=user_id)
        self.grade(receipt.attempt_id, judge=judge)
        return receipt.submission_id

    def waiting(self, *, by: Actor | None = None) -> UUID:
        """Hand in without being graded."""
        return self.course.submit(user_id=(by or self.ada).user_id).submission_id

    def grade(self, attempt_id: UUID, *, judge: Judge = by_text) -> None:
        grading.run(
            attempt_id,
            database=self.database,
            engine=FlaggingEngine(judge),
            cache=self.cache,
            owner="here:1",
            policy=POLICY,
        )

    def student(self, login: str, *, name: str | None = None, email: str | None = None) -> Actor:
        return _member(self.course, login, name or login.capitalize(), Role.STUDENT, email=email)


def reviewed_course(database: Database, folder: Path) -> ReviewedCourse:
    """The course in a fresh database."""
    course = sample_course(database, folder / "doubling")
    stranger = ensure_person(database, login="mallory", name="Mallory")
    return ReviewedCourse(
        course=course,
        ada=_member(course, "ada", "Ada", Role.STUDENT),
        ben=_member(course, "ben", "Ben", Role.STUDENT),
        tia=_member(course, "tia", "Tia", Role.TA),
        tom=_member(course, "tom", "Tom", Role.TA),
        ines=_member(course, "ines", "Ines", Role.INSTRUCTOR),
        stranger=Actor(user_id=stranger.id, login="mallory", name="Mallory"),
        cache=Path(tempfile.mkdtemp(prefix="versions-", dir=folder)),
    )


def _member(course: SampleCourse, login: str, name: str, role: Role, *, email: str | None = None) -> Actor:
    person = ensure_person(course.database, login=login, name=name, email=email)
    enrol(course.database, course_id=course.course_id, user_id=person.id, role=role)
    return Actor(user_id=person.id, login=person.login, name=person.name)
