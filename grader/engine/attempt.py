"""What the examiner hands to the rubric plugin: one attempt, found on pytest's config."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from grader.domain.rubric import Assignment, CheckSpec
from grader.domain.verdicts import Visibility
from grader.engine.session import Session


def _ignore(*_: object) -> None:
    return


@dataclass(slots=True, kw_only=True)
class Attempt:
    """One run of a suite; without a session it is only collected. The plugin fills in what it found.

    With `record`, the solution is run so that its answers are written down: the plugin leaves them in
    `recorded`, and in `withheld`, by check, why some must not be handed out.
    """

    assignment: Assignment
    seed: str = ""
    session: Session | None = None
    only: frozenset[Visibility] | None = None
    record: bool = False
    recorded: bytes = b""
    withheld: dict[str, str] = field(default_factory=dict)
    checks: list[CheckSpec] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    started: Callable[[CheckSpec], None] = _ignore
    judged: Callable[[CheckSpec, dict[str, Any], float], None] = _ignore


ATTEMPT_KEY = pytest.StashKey[Attempt]()
