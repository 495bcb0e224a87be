"""What services need and do not import: something that grades, something that carries messages."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from grader.domain.attempts import Lane, Queue
from grader.domain.results import AttemptResult, Progress
from grader.domain.rubric import Assignment, Rubric
from grader.domain.student_bundle import Recorded
from grader.domain.submission import SubmittedFiles


class GradingEngine(Protocol):
    """Grades one submission on this machine.

    Findings about the student's code are in the result; an exception is a fault of the course or the system.
    """

    def grade(
        self,
        files: SubmittedFiles,
        assignment: Assignment,
        *,
        seed: str,
        on_progress: Callable[[Progress], None],
    ) -> AttemptResult: ...


class GateWorkerEngine(GradingEngine, Protocol):
    """An engine that can say what a suite declares, and what the solution answers, as publishing wants it."""

    def rubric(self, assignment: Assignment) -> Rubric: ...

    def record(self, solution: SubmittedFiles, assignment: Assignment, *, seed: str) -> Recorded: ...


class WorkerEngine(GateWorkerEngine, Protocol):
    """An engine that a worker keeps warm."""

    def start(self) -> None:
        """Get ready before the first attempt; SealUnavailable where submissions cannot be sealed off."""


EngineFactory = Callable[[], AbstractContextManager[WorkerEngine]]
"""Opens an engine; leaving the context ends every process it owns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Tells a worker to run an attempt. It carries ids only: no student's text ever passes the broker."""

    attempt_id: UUID
    queue: Queue
    lane: Lane
    time_limit_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GateMessage:
    """Tells a worker to run the gate of an uploaded assignment folder."""

    publication_id: UUID
    queue: Queue
    time_limit_s: float


Send = Callable[[Message | GateMessage], None]
"""Hands one message to the broker; raises BrokerUnavailable when it cannot be reached."""
