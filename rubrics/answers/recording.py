"""Writes down what checks ask of the solution, and all that they might ask, while the suite judges it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np

from rubrics.answers import NotHandedOut
from rubrics.answers.storing import Answer, RecordedAnswers, write
from rubrics.comparing import Result
from rubrics.landmarks import Landmarks

MOST_BYTES = 8 << 20
"""Arrays of all answers of one check."""
MOST_BYTES_IN_ALL = 32 << 20
NEEDS_PROGRAMS = "it measures time against a program of the course, and whoever has that has the solution"
TOO_MUCH = "the answers that it needs are too large to hand out"


def versions() -> str:
    """What decides which inputs are drawn, and what is computed from them."""
    return f"NumPy {np.__version__} and JAX {jax.__version__}"


class Recording:
    """Computes answers, and keeps those of the checks that can be handed out."""

    foresees = True

    def __init__(self) -> None:
        self._functions: dict[str, tuple[str, ...]] = {}
        self._kept: dict[str, Answer] = {}
        self._bytes_kept = 0
        self._of_check: dict[str, Answer] = {}

    def begin_check(self) -> None:
        """What is asked from now on is asked by another check."""
        self._of_check = {}

    def keep_check(self) -> None:
        """The check in hand is one to hand out. NotHandedOut if its answers are too large for that."""
        size = sum(map(_size, self._of_check.values()))
        if size > MOST_BYTES or self._bytes_kept + size > MOST_BYTES_IN_ALL:
            raise NotHandedOut(TOO_MUCH)
        self._bytes_kept += size
        self._kept |= self._of_check

    def written(self) -> bytes:
        """Everything that was kept, as the file that is handed out."""
        return write(
            RecordedAnswers(made_with=versions(), functions=self._functions, answers=self._answers())
        )

    def function(self, name: str, load: Callable[[], Callable[..., Any]]) -> Callable[..., Any]:
        function = load()
        self._functions[name] = tuple(inspect.signature(function).parameters)
        return function

    def result(self, question: str, compute: Callable[[], Result]) -> Result:
        found = self._of_check[question] = compute()
        return found

    def landmarks(self, question: str, compute: Callable[[], Landmarks | None]) -> Landmarks | None:
        found = self._of_check[question] = compute()
        return found

    def require_programs(self) -> None:
        raise NotHandedOut(NEEDS_PROGRAMS)

    def _answers(self) -> Mapping[str, Answer]:
        """By question, which is a digest: the order tells nothing of who asked."""
        return dict(sorted(self._kept.items()))


def _size(answer: Answer) -> int:
    if answer is None:
        return 0
    return answer.sketches.nbytes if isinstance(answer, Landmarks) else sum(x.nbytes for x in answer.leaves)
