"""Answers from what was recorded, where there is no solution: on the machine of a student."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from grader.domain.errors import ProtocolViolation
from rubrics.answers import NotHandedOut, NotRecorded
from rubrics.answers.recording import NEEDS_PROGRAMS, versions
from rubrics.answers.storing import LIMITS, Answer, RecordedAnswers, read
from rubrics.comparing import Result
from rubrics.landmarks import Landmarks


class Replayed:
    """Knows what was asked when the answers were recorded, and nothing else."""

    foresees = False

    def __init__(self, recorded: RecordedAnswers) -> None:
        self._recorded = recorded

    def function(self, name: str, load: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        del load
        parameters = self._recorded.functions.get(name)
        if parameters is None:
            raise self._unknown()

        def absent(*_: object, **__: object) -> None:
            raise NotHandedOut("the solution is not here")

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        signature = inspect.Signature([inspect.Parameter(each, kind) for each in parameters])
        absent.__signature__ = signature  # type: ignore[attr-defined] # read by `inspect.signature`
        return absent

    def result(self, question: str, compute: Callable[[], Result]) -> Result:
        del compute
        found = self._found(question)
        if not isinstance(found, Result):
            raise self._unknown()
        return found

    def landmarks(self, question: str, compute: Callable[[], Landmarks | None]) -> Landmarks | None:
        """None where they were not recorded: a line that cannot be named is no reason not to judge."""
        del compute
        found = self._recorded.answers.get(question)
        return found if isinstance(found, Landmarks) else None

    def require_programs(self) -> None:
        raise NotHandedOut(NEEDS_PROGRAMS)

    def _found(self, question: str) -> Answer:
        try:
            return self._recorded.answers[question]
        except KeyError:
            raise self._unknown() from None

    def _unknown(self) -> NotRecorded:
        return NotRecorded(recorded=self._recorded.made_with, here=versions())


@functools.lru_cache(maxsize=4)
def answers_in(path: Path, version: str) -> Replayed:
    """The answers in a file of a folder of that version; ProtocolViolation if it cannot be read."""
    del version  # a folder whose content changed is read anew
    try:
        with path.open("rb") as file:
            data = file.read(LIMITS.head_bytes + LIMITS.body_bytes + 1)
    except OSError as exc:
        raise ProtocolViolation(f"it cannot be read: {exc.strerror}") from exc
    return Replayed(read(data))
