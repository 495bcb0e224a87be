"""Where the answers of the course's programs come from.

On a grading machine they are computed. When an assignment is published they are written down as well
(`recording`), and on a student's machine they are read from there (`replaying`): the solution itself is never
handed out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, Protocol

from grader.engine.session import CallInputs
from rubrics.comparing import Result
from rubrics.landmarks import Landmarks

__all__ = ["COMPUTED", "Answers", "Computed", "NotHandedOut", "NotRecorded", "asked"]


class NotHandedOut(Exception):
    """A check asks for what must not leave the course; says why, as staff read it."""


class NotRecorded(Exception):
    """A check asks what nobody asked when the answers were recorded: not the student's fault."""

    def __init__(self, *, recorded: str, here: str) -> None:
        super().__init__(f"not among the answers recorded with {recorded}; this is {here}")
        self.recorded, self.here = recorded, here


class Answers(Protocol):
    """Answers questions about the course's functions; equal questions have equal answers."""

    def __hash__(self) -> int: ...

    @property
    def foresees(self) -> bool:
        """Whether whatever may be asked later has to be asked now."""

    def function(self, name: str, load: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        """The function of this name, or what stands in for it: its parameters are known in any case."""

    def result(self, question: str, compute: Callable[[], Result]) -> Result:
        """The answer to a question whose answer is a result."""

    def landmarks(self, question: str, compute: Callable[[], Landmarks | None]) -> Landmarks | None:
        """The answer to a question about the way to a result."""

    def require_programs(self) -> None:
        """NotHandedOut where there are answers only."""


class Computed:
    """Has the course's programs, and runs them."""

    foresees = False

    def function(self, name: str, load: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        del name
        return load()

    def result(self, question: str, compute: Callable[[], Result]) -> Result:
        del question
        return compute()

    def landmarks(self, question: str, compute: Callable[[], Landmarks | None]) -> Landmarks | None:
        del question
        return compute()

    def require_programs(self) -> None:
        """They are at hand."""


COMPUTED = Computed()


def asked(function: str, kind: str, inputs: CallInputs, *about: object) -> str:
    """The question as a digest: equal for equal inputs, bit by bit, and telling nothing about them."""
    digest = hashlib.sha256()
    described = [
        [leaf.kind.value, leaf.dtype, list(leaf.shape), leaf.weak, leaf.impl] for leaf in inputs.leaves
    ]
    head = [function, kind, [str(each) for each in about], inputs.structure, described]
    digest.update(json.dumps(head, sort_keys=True).encode())
    for leaf in inputs.leaves:
        if leaf.array is not None:
            digest.update(leaf.array.tobytes())
    return digest.hexdigest()
