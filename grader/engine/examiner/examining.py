"""Grades attempts, one after the other, in a warm process."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from typing import Any

import jax
import jaxlib.version
import numpy as np

from grader.domain import stored
from grader.domain.results import CheckResult
from grader.domain.rubric import Assignment, CheckSpec
from grader.engine import wire
from grader.engine.attempt import Attempt
from grader.engine.examiner import running
from grader.engine.examiner.host import Host
from grader.engine.protocol import Message
from grader.engine.report import read_judgement
from grader.engine.session import Session

_KEPT_RUBRICS = 16


class Examiner:
    """Answers the engine's requests. `send` streams progress; each request's last message is its answer."""

    def __init__(self, *, sealed: bool | None, send: Callable[[Message], None]) -> None:
        self._host = Host(sealed=sealed)
        self._send = send
        self._rubrics: dict[tuple[str, str], tuple[CheckSpec, ...]] = {}

    def description(self) -> dict[str, Any]:
        """Versions, device and the layers of the seal that are on."""
        return {
            "sealed": self._host.launcher.sealed,
            "layers": list(self._host.launcher.layers),
            "jax": jax.__version__,
            "jaxlib": jaxlib.version.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
            "device": "cpu",
        }

    def handle(self, request: Message) -> None:
        """Answer one request; GraderError if it cannot be met."""
        assignment = wire.load_assignment(request.data["assignment"])
        if request.kind == "collect":
            checks = [stored.dump_spec(spec) for spec in self._rubric(assignment)]
            self._send(Message(kind="collected", data={"checks": checks}))
            return
        self._grade(assignment, request)

    def _rubric(self, assignment: Assignment) -> tuple[CheckSpec, ...]:
        key = (str(assignment.root), assignment.version)
        if key not in self._rubrics:
            if len(self._rubrics) >= _KEPT_RUBRICS:
                self._rubrics.pop(next(iter(self._rubrics)))
            self._rubrics[key] = running.collect(assignment)
        return self._rubrics[key]

    def _grade(self, assignment: Assignment, request: Message) -> None:
        only = wire.load_only(request.data["only"])
        expected = [spec for spec in self._rubric(assignment) if only is None or spec.visibility in only]
        self._send(Message(kind="expecting", data={"checks": [stored.dump_spec(spec) for spec in expected]}))
        session = Session(
            files=wire.load_files(request.data["files"]),
            assignment=assignment,
            launcher=self._host.launcher,
            host=self._host,
        )
        attempt = self._attempt(assignment, request, session)
        began = time.process_time()
        try:
            results = running.run(attempt, expected)
        finally:
            session.close()
        session.cost["examiner"] = time.process_time() - began
        data = {**self._graded(session, results), "withheld": attempt.withheld}
        self._send(Message(kind="graded", data=data, blobs=(attempt.recorded,)))

    def _attempt(self, assignment: Assignment, request: Message, session: Session) -> Attempt:
        def started(spec: CheckSpec) -> None:
            self._send(Message(kind="started", data={"check": spec.id}))

        def judged(spec: CheckSpec, judgement: dict[str, Any], seconds: float) -> None:
            result = stored.dump_check(read_judgement(spec, judgement, seconds=seconds))
            self._send(Message(kind="judged", data={"check": spec.id, "result": result}))

        return Attempt(
            assignment=assignment,
            seed=request.data["seed"],
            session=session,
            only=wire.load_only(request.data["only"]),
            record=request.kind == "record",
            started=started,
            judged=judged,
        )

    def _graded(self, session: Session, results: tuple[CheckResult, ...]) -> dict[str, Any]:
        return {
            "results": [stored.dump_check(result) for result in results],
            "output": session.printed(),
            "flags": list(session.flags),
            "notices": session.notices(),
            "cost": {stage: round(seconds, 6) for stage, seconds in session.cost.items()},
            "layers": list(self._host.launcher.layers),  # a zygote that was renewed may have others
        }
