"""The publish gate: whether an assignment grades as its author says it does.

Nothing here trusts the manifest. The solution, the starter and every mutant are graded like a student's work,
by the same engine, and what was found is held against what the author declared.
"""

from __future__ import annotations

import difflib
import hashlib
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from grader.content.uploads import read_paths
from grader.domain.lessons import gaps
from grader.domain.results import AttemptResult
from grader.domain.rubric import Assignment, Rubric
from grader.domain.submission import SubmittedFiles
from grader.domain.view import STAFF, view_of
from grader.services.gate_report import GateReport, LessonGap, MutantFinding, Outcome, Subject, UnknownCheck
from grader.services.lessons import anchors_of
from grader.services.margins import speed_margins

REPEATS = 3
"""How often the solution is graded, each time with other hidden inputs; all must agree."""


class GateEngine(Protocol):
    """What the gate needs of the engine."""

    def rubric(self, assignment: Assignment) -> Rubric: ...

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStep:
    """About to grade step `number` of `total`."""

    subject: Subject
    name: str
    number: int
    total: int

    @property
    def title(self) -> str:
        """Such as "solution, 2 of 3" and "mutant reuses_key"."""
        return f"mutant {self.name}" if self.subject is Subject.MUTANT else self.name


def run_gate(
    assignment: Assignment, engine: GateEngine, *, on_step: Callable[[GateStep], None] = lambda _: None
) -> GateReport:
    """Grade the solution (`REPEATS` times), the starter and every mutant, and compare.

    Raises AssignmentInvalid if the suite cannot be collected and UploadRefused if one of the programs cannot
    be read; a program that merely does not work is a finding.
    """
    rubric = engine.rubric(assignment)
    steps = _Steps(total=REPEATS + 1 + len(assignment.mutants), tell=on_step)
    results: list[AttemptResult] = []

    def graded(subject: Subject, name: str, path: str, *, repeat: int = 0) -> AttemptResult:
        steps.next(subject, name)
        seed = hashlib.sha256(f"gate {assignment.version} {repeat}".encode()).hexdigest()
        results.append(engine.grade(_read(assignment.root / path, assignment), assignment, seed=seed))
        return results[-1]

    solution = [
        graded(Subject.SOLUTION, f"solution, {n + 1} of {REPEATS}", f"solution/{assignment.entry}", repeat=n)
        for n in range(REPEATS)
    ]
    starter = Outcome.of(graded(Subject.STARTER, "starter", f"starter/{assignment.entry}"))
    mutants = tuple(
        MutantFinding(mutant=mutant, outcome=Outcome.of(graded(Subject.MUTANT, mutant.name, mutant.path)))
        for mutant in assignment.mutants
    )
    return GateReport(
        assignment=assignment.slug,
        version=assignment.version,
        rubric=rubric,
        starter_earns=assignment.starter_earns,
        solution=tuple(map(Outcome.of, solution)),
        starter=starter,
        mutants=mutants,
        unknown_checks=_unknown_checks(assignment, rubric),
        margins=speed_margins(solution),
        lesson_gaps=_lesson_gaps(results, anchors_of(assignment)),
    )


class _Steps:
    """Counts the programs as they are graded and tells who watches."""

    def __init__(self, *, total: int, tell: Callable[[GateStep], None]) -> None:
        self._total, self._tell, self._number = total, tell, 0

    def next(self, subject: Subject, name: str) -> None:
        self._number += 1
        self._tell(GateStep(subject=subject, name=name, number=self._number, total=self._total))


def _read(path: Path, assignment: Assignment) -> SubmittedFiles:
    return read_paths(
        [path], entry=assignment.entry, functions=[function.name for function in assignment.functions]
    )


def _unknown_checks(assignment: Assignment, rubric: Rubric) -> tuple[UnknownCheck, ...]:
    known = [check.id for check in rubric.checks]
    return tuple(
        UnknownCheck(mutant=mutant.name, check_id=check_id, suggestion=_nearest(check_id, known))
        for mutant in assignment.mutants
        for check_id in sorted(mutant.fails - set(known))
    )


def _lesson_gaps(results: Sequence[AttemptResult], anchors: frozenset[str]) -> tuple[LessonGap, ...]:
    """Where the feedback that these programs got would point, and the lesson has no such heading."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for result in results:
        for anchor, check_ids in gaps(view_of(result, STAFF), anchors).items():
            found[anchor].update(check_ids)
    return tuple(LessonGap(anchor=anchor, check_ids=tuple(sorted(found[anchor]))) for anchor in sorted(found))


def _nearest(check_id: str, known: list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(check_id, known, n=1)), None)
