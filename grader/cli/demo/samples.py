"""The samples that ship with an assignment, and what grading them must find."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from grader.domain.errors import AssignmentInvalid
from grader.domain.results import AttemptResult
from grader.domain.text import listing
from grader.domain.verdicts import Verdict

EXPECTED = "expected.toml"
GIVES_POINTS = frozenset({Verdict.PASSED, Verdict.INCONCLUSIVE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One file to hand in: whose it is, what is wrong with it, and what must be found.

    `fails` holds check ids, `lines` the 1-based lines that feedback must name among them.
    """

    path: Path
    student: str
    about: str
    score: Fraction
    fails: frozenset[str]
    line: int | None

    @property
    def name(self) -> str:
        return self.path.name

    def differences(self, result: AttemptResult) -> tuple[str, ...]:
        """How a result differs from what must be found; empty where it does not."""
        return tuple(self._differences(result))

    def _differences(self, result: AttemptResult) -> Iterator[str]:
        lost = [check for check in result.results if check.verdict not in GIVES_POINTS]
        failed = {check.spec.id for check in lost}
        if result.score != self.score:
            yield f"earns {result.score} points instead of {self.score}"
        if extra := failed - self.fails:
            yield f"loses points in {listing(sorted(extra))}, which it should pass"
        if missing := self.fails - failed:
            yield f"passes {listing(sorted(missing))}, which it should fail"
        named = {check.feedback.line for check in lost if check.feedback is not None}
        if self.line is not None and self.line not in named:
            shown = ", ".join(sorted(str(line) for line in named if line is not None)) or "none"
            yield f"is told line {shown} instead of {self.line}"
        if not result.graded:
            yield "was not graded in full"


def read_samples(root: Path) -> tuple[Sample, ...]:
    """The samples of an assignment folder; AssignmentInvalid where what is expected of one cannot be read."""
    path = root / "samples" / EXPECTED
    try:
        table = tomllib.loads(path.read_text("utf-8"))
        samples = tuple(_sample(root / "samples", entry) for entry in table["samples"])
    except FileNotFoundError as error:
        raise AssignmentInvalid(path, "is missing, so this assignment has no demo.") from error
    except (tomllib.TOMLDecodeError, KeyError, TypeError, ValueError) as error:
        raise AssignmentInvalid(path, f"cannot be read: {error}.") from error
    return samples


def _sample(folder: Path, entry: dict[str, Any]) -> Sample:
    return Sample(
        path=folder / entry["file"],
        student=entry["student"],
        about=entry["about"],
        score=Fraction(entry["score"]),
        fails=frozenset(entry["fails"]),
        line=entry.get("line"),
    )
