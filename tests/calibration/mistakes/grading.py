"""Grades the mistakes: a file of them is one submission, judged by the course's one suite."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import CheckResult
from grader.domain.rubric import Assignment
from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests.calibration.mistakes.labels import COURSE, Mistake, Said, mistakes

RIGHT = COURSE / "solution" / "submission.py"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A mistake with the checks that are about it."""

    mistake: Mistake
    checks: tuple[CheckResult, ...]

    @property
    def said(self) -> Said:
        """What was said for points that were lost."""
        return frozenset(
            (check.feedback.code, check.feedback.line) if check.feedback else (str(check.verdict), None)
            for check in self.checks
            if check.verdict is not Verdict.PASSED
        )

    @property
    def is_right(self) -> bool:
        return bool(self.checks) and self.said == self.mistake.expected


@cache
def course() -> Assignment:
    """The suite that all of them are judged by."""
    return read_assignment(COURSE)


def judge(engine: Engine, *, seed: str = "calibration") -> Iterator[Judged]:
    """Every mistake with what was said about it, file by file."""
    by_file: dict[Path, list[Mistake]] = {}
    for mistake in mistakes():
        by_file.setdefault(mistake.path, []).append(mistake)
    for path, together in by_file.items():
        results = results_of(engine, path, seed=seed)
        for mistake in together:
            checks = tuple(result for result in results if result.spec.function == mistake.function)
            yield Judged(mistake=mistake, checks=checks)


def results_of(engine: Engine, path: Path, *, seed: str = "calibration") -> tuple[CheckResult, ...]:
    """One file, graded. Functions that it lacks fail at once."""
    names = [function.name for function in course().functions]
    files = read_paths([path], entry=course().entry, functions=names)
    return engine.grade(files, course(), seed=seed).results


def table(judged: Iterable[Judged]) -> Iterator[str]:
    """A line for each mistake, those judged wrongly with what was said instead."""
    for each in judged:
        verdict = "reject" if each.mistake.expected else "accept"
        yield f"{each.mistake.function:40} {verdict:8}{'' if each.is_right else 'WRONG':7}{_told(each.said)}"
        if not each.is_right:
            yield f"    should be {_told(each.mistake.expected) or 'nothing'} ({each.mistake.source})"


def _told(said: Said) -> str:
    return "; ".join(f"{code}, line {line}" for code, line in sorted(said, key=str))
