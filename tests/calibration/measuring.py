"""Grades labelled submissions and compares: families awarded and deserved, causes and lines named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue

from grader.content.assignments import read_assignment
from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult, CheckResult, Feedback
from grader.domain.verdicts import Family, Verdict
from grader.engine import Engine
from tests.calibration.corpus import TASKS, Labelled, codes_of

NEAR = 2
"""Lines that a named line may lie beside a labelled one: a statement has several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A labelled submission and its result."""

    case: Labelled
    result: AttemptResult

    def awarded(self, family: Family) -> bool:
        """Whether all checks of a family let the points stand."""
        return all(check.verdict in (Verdict.PASSED, Verdict.INCONCLUSIVE) for check in self.checks(family))

    def checks(self, family: Family) -> list[CheckResult]:
        return [check for check in self.result.results if check.spec.family is family]

    @property
    def false_accepts(self) -> list[Family]:
        return [family for family, right in self._labels() if right is False and self.awarded(family)]

    @property
    def false_rejects(self) -> list[Family]:
        return [family for family, right in self._labels() if right and not self.awarded(family)]

    def _labels(self) -> Iterable[tuple[Family, bool | None]]:
        return self.case.deserves.items()

    @property
    def feedback(self) -> list[Feedback]:
        return [check.feedback for check in self.result.results if check.feedback is not None]

    def names_cause(self, fault: str) -> bool:
        """Whether some feedback says what this fault is."""
        return any(feedback.code.startswith(codes_of(fault)) for feedback in self.feedback)

    def names_line(self, *, within: int) -> bool:
        """Whether some feedback names a line of a fault."""
        named = {feedback.line for feedback in self.feedback if feedback.line}
        return any(abs(line - fault) <= within for line in named for fault in self.case.lines)

    @property
    def cpu_s(self) -> float:
        return sum(self.result.cost.values())

    def said(self, family: Family) -> str:
        """What was said about a family, for whoever looks into a wrong verdict."""
        failures = [check for check in self.checks(family) if check.verdict is not Verdict.PASSED]
        return "; ".join(map(_in_short, failures))[:400] or "all passed"


def _in_short(check: CheckResult) -> str:
    said = check.feedback
    about = "" if said is None else f" {said.code}, line {said.line}, {dict(said.params)}"
    return f"{check.spec.id} {check.verdict}{about}"


def grade(cases: Sequence[Labelled], *, jobs: int, seed: str = "calibration") -> Iterator[Graded]:
    """Results in the order of `cases`, by `jobs` engines side by side."""
    engines: SimpleQueue[Engine] = SimpleQueue()
    running = [Engine() for _ in range(jobs)]
    for engine in running:
        engines.put(engine)

    def one(case: Labelled) -> Graded:
        engine = engines.get()
        try:
            return grade_one(engine, case, seed=seed)
        finally:
            engines.put(engine)

    try:
        with ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(one, cases)
    finally:
        for engine in running:
            engine.close()


def grade_one(engine: Engine, case: Labelled, *, seed: str) -> Graded:
    """One submission, graded by its task's suite."""
    assignment = read_assignment(TASKS / case.task)
    names = [function.name for function in assignment.functions]
    files = read_paths([case.path], entry=assignment.entry, functions=names)
    return Graded(case=case, result=engine.grade(files, assignment, seed=seed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often a family was judged, and wrongly."""

    deserved: int
    undeserved: int
    false_accepts: int
    false_rejects: int


def tally(graded: Iterable[Graded], family: Family) -> Tally:
    """Counts over all labels of one family that are not ambiguous."""
    labels = [(entry, entry.case.deserves[family]) for entry in graded if family in entry.case.deserves]
    return Tally(
        deserved=sum(right is True for _, right in labels),
        undeserved=sum(right is False for _, right in labels),
        false_accepts=sum(family in entry.false_accepts for entry, _ in labels),
        false_rejects=sum(family in entry.false_rejects for entry, _ in labels),
    )
