"""What the gradebook of a large course costs: ``python -m tests.bench.gradebook``.

The page is held against its bare SQL, run by the driver, plus its template, filled with what is there
already. It may cost twice as much: what is between the two is our own arithmetic.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from statistics import median
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import event, insert, text

from grader.db import models
from grader.db.database import Database
from grader.domain.attempts import AttemptState, Lane, Queue
from grader.domain.people import Role
from grader.domain.scheduling import Counting, LateRule
from grader.services.access import Actor
from grader.services.gradebook import Gradebook, gradebook
from grader.web.garbage import settle_collector
from grader.web.rendering import render
from tests.storage import open_database

NOW = datetime(2026, 11, 1, tzinfo=UTC)
MOST_TIMES_BARE = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How large the course is."""

    students: int = 500
    assignments: int = 10
    submissions: int = 1
    """For each student and assignment."""


def build(database: Database, size: Size) -> Actor:
    """A course of that size, every submission graded; returns its instructor."""
    course, instructor = uuid4(), uuid4()
    people = [(uuid4(), f"student-{at:04}") for at in range(size.students)]
    work = [(uuid4(), uuid4(), at) for at in range(size.assignments)]
    with database.writing() as session:

        def add(table: type[models.Base], rows: list[dict[str, object]]) -> None:
            session.execute(insert(table), rows)

        add(
            models.Course,
            [_row(id=course, slug="big", title="Big", timezone="Europe/Zurich", created_at=NOW)],
        )
        everybody = [(instructor, "ines"), *people]
        add(
            models.User,
            [_row(id=i, login=n, name=n.title(), email=None, created_at=NOW) for i, n in everybody],
        )
        add(
            models.Membership,
            [
                _row(
                    course_id=course,
                    user_id=i,
                    role=Role.INSTRUCTOR if i == instructor else Role.STUDENT,
                    created_at=NOW,
                )
                for i, _ in everybody
            ],
        )
        add(
            models.RosterEntry,
            [
                _row(
                    course_id=course,
                    user_id=i,
                    student_number=n,
                    section=f"S{k % 10}",
                    extra_days=0 if k % 25 else 2,
                )
                for k, (i, n) in enumerate(people)
            ],
        )
        for assignment, version, at in work:
            _add_assignment(add, course, assignment, version, at)
        for assignment, version, at in work:
            _add_extensions(add, people, assignment, at)
            _add_submissions(add, people, assignment, version, at, size)
    return Actor(user_id=instructor, login="ines", name="Ines")


Add = Callable[[type[models.Base], list[dict[str, object]]], None]


def _row(**values: object) -> dict[str, object]:
    return values


def _add_assignment(add: Add, course: UUID, assignment: UUID, version: UUID, at: int) -> None:
    due = NOW + timedelta(days=7 * at)
    add(
        models.Assignment,
        [_row(id=assignment, course_id=course, slug=f"hw-{at}", title=f"Homework {at}", created_at=NOW)],
    )
    add(
        models.AssignmentVersion,
        [
            _row(
                id=version,
                assignment_id=assignment,
                number=1,
                content_hash="0" * 64,
                queue=Queue.CPU,
                time_limit_s=60.0,
                manifest={},
                rubric={"checks": [{"id": f"f.values.c{k}", "points": "5"} for k in range(20)]},
                published_at=NOW,
            )
        ],
    )
    add(
        models.AssignmentSchedule,
        [
            _row(
                assignment_id=assignment,
                draft=False,
                due_at=due,
                late_rule=LateRule.PER_DAY,
                per_day=Fraction(1, 10),
                uses_grace=True,
                cooldown_s=0,
                counting=Counting.BEST,
                version=1,
            )
        ],
    )


def _add_extensions(add: Add, people: list[tuple[UUID, str]], assignment: UUID, at: int) -> None:
    """Every twentieth student has one for this assignment."""
    add(
        models.Extension,
        [
            _row(
                assignment_id=assignment,
                user_id=user,
                due_at=NOW + timedelta(days=7 * at + 3),
                reason="illness",
                granted_at=NOW,
            )
            for k, (user, _) in enumerate(people)
            if k % 20 == at
        ],
    )


def _add_submissions(
    add: Add, people: list[tuple[UUID, str]], assignment: UUID, version: UUID, at: int, size: Size
) -> None:
    chance = random.Random(at)  # noqa: S311 - sample data
    submissions, attempts = [], []
    for user, _ in people:
        for number in range(1, size.submissions + 1):
            submission = uuid4()
            received = NOW + timedelta(days=7 * at, hours=chance.uniform(-80, 6))
            submissions.append(
                _row(
                    id=submission,
                    assignment_id=assignment,
                    user_id=user,
                    number=number,
                    received_at=received,
                    idempotency_key=str(number),
                    content_hash="0" * 64,
                )
            )
            attempts.append(
                _row(
                    submission_id=submission,
                    version_id=version,
                    number=1,
                    state=AttemptState.GRADED,
                    queue=Queue.CPU,
                    lane=Lane.INTERACTIVE,
                    seed="0",
                    created_at=received,
                    queued_at=received,
                    score=Fraction(chance.randrange(201), 2),
                    max_score=Fraction(100),
                    tries=1,
                    dispatches=1,
                    flag_count=0,
                )
            )
    add(models.Submission, submissions)
    add(models.Attempt, attempts)


def rendered(book: Gradebook) -> str:
    """The page as the server makes it."""
    return render(
        "instructor/gradebook.html",
        actor=None,
        seat=book.seat,
        book=book,
        section="",
        sort="name",
        descending=False,
        sorted_by=lambda key: f"?sort={key}",
        csrf_token="",
        flash=None,
        path="/courses/big/gradebook",
        zone="UTC",
    )


def statements_of(database: Database, work: Callable[[], object]) -> list[tuple[str, Any]]:
    """The SELECTs that some work sends, with their parameters."""
    seen: list[tuple[str, Any]] = []

    def note(*args: Any) -> None:  # noqa: ANN401 - an event of SQLAlchemy's
        if args[2].lstrip().startswith("SELECT"):
            seen.append((args[2], args[3]))

    event.listen(database.engine, "before_cursor_execute", note)
    try:
        work()
    finally:
        event.remove(database.engine, "before_cursor_execute", note)
    return seen


def fetch(database: Database, statements: list[tuple[str, Any]]) -> None:
    """Run statements as the driver does, and take every row."""
    with database.engine.connect() as connection:
        cursor = connection.connection.cursor()
        for statement, parameters in statements:
            cursor.execute(statement, parameters)
            cursor.fetchall()
        cursor.close()


def seconds(work: Callable[[], object], clock: Callable[[], float]) -> float:
    """How much some work takes of a clock."""
    start = clock()
    work()
    return clock() - start


def main() -> int:
    """Measure, print, and say 1 where the page costs too much."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=500)
    parser.add_argument("--assignments", type=int, default=10)
    parser.add_argument("--submissions", type=int, default=1, help="for each student and assignment")
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--database", choices=("sqlite", "postgresql"), default="sqlite")
    options = parser.parse_args()
    settle_collector()  # as a server does once it has started
    with open_database(options.database) as database:
        actor = build(
            database,
            Size(
                students=options.students,
                assignments=options.assignments,
                submissions=options.submissions,
            ),
        )
        with database.writing() as session:
            session.execute(text("ANALYZE"))  # as servers do by themselves after a while

        def book() -> Gradebook:
            return gradebook(database, actor=actor, course="big")

        made, statements = book(), statements_of(database, book)
        # SQLite works in this process, whose own time a busy machine does not stretch.
        clock = time.process_time if database.is_sqlite else time.perf_counter
        pairs = [
            # In turns, so that what else the machine does falls on both alike.
            (
                seconds(lambda: fetch(database, statements), clock) + seconds(lambda: rendered(made), clock),
                seconds(lambda: rendered(book()), clock),
            )
            for _ in range(options.times + 1)
        ][1:]
    bare_s, full_s = (median(pair[side] for pair in pairs) for side in (0, 1))
    ratio = median(full / bare for bare, full in pairs)
    print(f"{options.students} students, {options.assignments} assignments, {options.database}")
    print(f"bare SQL and template: {bare_s * 1000:.0f} ms; the gradebook: {full_s * 1000:.0f} ms")
    print(f"times bare: {ratio:.2f} (at most {MOST_TIMES_BARE:g}); queries: {len(statements)}")
    return 0 if ratio <= MOST_TIMES_BARE else 1


if __name__ == "__main__":
    sys.exit(main())
