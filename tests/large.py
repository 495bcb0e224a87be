"""More submissions than should ever be in memory together, and how much memory some work takes."""

from __future__ import annotations

import base64
import hashlib
import random
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import insert

from grader.db import models
from grader.domain.attempts import AttemptState, Lane, Queue
from tests.courses import SampleCourse

NOW = datetime(2026, 11, 1, tzinfo=UTC)
_FIRST = 1001
"""Their numbers begin here; what was handed in before has smaller ones."""


def hand_in_much(course: SampleCourse, *, submissions: int, file_bytes: int, result_bytes: int = 0) -> None:
    """Add submissions of the course's student, each with one file of its own that hardly compresses.

    With `result_bytes` they count as graded, by results that are nothing but large.
    """
    chance = random.Random(0)  # noqa: S311 - sample data
    for number in range(_FIRST, _FIRST + submissions):
        data = b"# " + base64.b64encode(chance.randbytes(file_bytes * 3 // 4)) + b"\n"
        result = base64.b64encode(chance.randbytes(result_bytes * 3 // 4)).decode() if result_bytes else None
        _add(course, uuid4(), number, data, result)


def _add(course: SampleCourse, submission: UUID, number: int, data: bytes, result: str | None) -> None:
    sha256 = hashlib.sha256(data).hexdigest()
    received = NOW + timedelta(minutes=number)
    rows: list[tuple[type[models.Base], dict[str, Any]]] = [
        (
            models.Submission,
            {
                "id": submission,
                "assignment_id": course.version.assignment_id,
                "user_id": course.student_id,
                "number": number,
                "received_at": received,
                "idempotency_key": str(number),
                "content_hash": sha256,
            },
        ),
        (models.StoredFile, {"sha256": sha256, "size": len(data), "data": data, "created_at": received}),
        (
            models.SubmissionFile,
            {"submission_id": submission, "position": 0, "name": "submission.py", "sha256": sha256},
        ),
        (
            models.Attempt,
            {
                "submission_id": submission,
                "version_id": course.version.version_id,
                "number": 1,
                "state": AttemptState.QUEUED if result is None else AttemptState.GRADED,
                "queue": Queue.CPU,
                "lane": Lane.INTERACTIVE,
                "seed": "0",
                "created_at": received,
                "queued_at": received,
                "result": None if result is None else {"text": result},
                "score": None if result is None else Fraction(1),
                "max_score": None if result is None else Fraction(5),
            },
        ),
    ]
    with course.database.writing() as session:
        for table, row in rows:
            session.execute(insert(table), row)


def most_memory(work: Callable[[], object]) -> int:
    """The most bytes that some work holds at one time, beyond what was held before."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
