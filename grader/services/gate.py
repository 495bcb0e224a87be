"""The publish gate: whether an assignment grades as its author says it does.

Nothing here trusts the manifest. The solution, the starter and every mutant are graded like a student's work,
by the same engine, and what was found is held against what the author declared.
"""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from grader.content.uploads import read_paths
from grader.domain.results import AttemptResult, CheckResult
from grader.domain.rubric import Assignment, Mutant, Rubric
from grader.domain.submission import SubmittedFiles
from grader.domain.verdicts import Verdict

REPEATS = 3
"""How often the solution is graded, each time with other hidden inputs; all must agree."""

GIVES_POINTS = frozenset({Verdict.PASSED, Verdict.INCONCLUSIVE})


class GateEngine(Protocol):
    """What the gate needs of the engine."""

    def rubric(self, assignment: Assignment) -> Rubric: ...

    def grade(self, files: SubmittedFiles, assignment: Assignment, *, seed: str) -> AttemptResult: ...


class Subject(StrEnum):
    """What is being held against its declaration."""

    RUBRIC = "rubric"
    SOLUTION = "solution"
    STARTER = "starter"
    MUTANT = "mutant"


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One graded program, boiled down to what the gate compares. The sets hold check ids."""

    score: Fraction
    failed: frozenset[str]
    """Checks that found a fault of the program."""
    ungraded: frozenset[str]
    """Checks that broke down through a fault of the course or the system."""
    undecided: frozenset[str]
    """Checks that noise kept from deciding; they give full points."""

    @classmethod
    def of(cls, result: AttemptResult) -> Outcome:
        return cls(
            score=result.score,
            failed=_ids(r for r in result.results if r.verdict not in GIVES_POINTS and r.earned is not None),
            ungraded=_ids(r for r in result.results if r.earned is None),
            undecided=_ids(r for r in result.results if r.verdict is Verdict.INCONCLUSIVE),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantFinding:
    """What one mutant failed, beside what it must fail."""

    mutant: Mutant
    outcome: Outcome

    @property
    def missing(self) -> frozenset[str]:
        """Named by the manifest, yet not failed: the suite lets this mistake through."""
        return self.mutant.fails - self.outcome.failed

    @property
    def extra(self) -> frozenset[str]:
        """Failed, yet not named: the suite punishes more than the mistake, or the manifest forgot one."""
        return self.outcome.failed - self.mutant.fails

    @property
    def holds(self) -> bool:
        return not (self.missing or self.extra or self.outcome.ungraded)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownCheck:
    """A check id in a mutant's `fails` that the suite does not have, and the nearest one that it has."""

    mutant: str
    check_id: str
    suggestion: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One reason to keep the gate shut."""

    subject: Subject
    name: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """Everything the gate found. `solution` holds one outcome per repeat."""

    assignment: str
    version: str
    rubric: Rubric
    starter_earns: Fraction
    solution: tuple[Outcome, ...]
    starter: Outcome
    mutants: tuple[MutantFinding, ...]
    unknown_checks: tuple[UnknownCheck, ...]

    @property
    def passed(self) -> bool:
        return not self.problems

    @property
    def repeats_agree(self) -> bool:
        """Whether every repeat of the solution got the same verdicts; undecided counts as passed."""
        return len({(outcome.failed, outcome.ungraded) for outcome in self.solution}) == 1

    @property
    def unguarded(self) -> tuple[str, ...]:
        """Checks that no mutant fails: nothing shows that they can fail at all. Advice, not a problem."""
        killed = {check for finding in self.mutants for check in finding.outcome.failed}
        return tuple(check.id for check in self.rubric.checks if check.id not in killed)

    @property
    def undecided(self) -> tuple[str, ...]:
        """Checks that noise kept from deciding on the solution: their threshold is too near. Advice."""
        return tuple(sorted(frozenset().union(*(outcome.undecided for outcome in self.solution))))

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Every reason to keep the gate shut, in the order in which an author would mend them."""
        return (
            *_rubric_problems(self),
            *_solution_problems(self),
            *_starter_problems(self),
            *(_unknown_problem(unknown) for unknown in self.unknown_checks),
            *(problem for finding in self.mutants for problem in _mutant_problems(finding, self.rubric)),
        )


def run_gate(
    assignment: Assignment, engine: GateEngine, *, on_step: Callable[[GateStep], None] = lambda _: None
) -> GateReport:
    """Grade the solution (`REPEATS` times), the starter and every mutant, and compare.

    Raises AssignmentInvalid if the suite cannot be collected and UploadRefused if one of the programs cannot
    be read; a program that merely does not work is a finding.
    """
    rubric = engine.rubric(assignment)
    steps = _Steps(total=REPEATS + 1 + len(assignment.mutants), tell=on_step)

    def outcome(subject: Subject, name: str, path: Path, *, repeat: int = 0) -> Outcome:
        steps.next(subject, name)
        seed = hashlib.sha256(f"gate {assignment.version} {repeat}".encode()).hexdigest()
        return Outcome.of(engine.grade(_read(path, assignment), assignment, seed=seed))

    root = assignment.root
    return GateReport(
        assignment=assignment.slug,
        version=assignment.version,
        rubric=rubric,
        starter_earns=assignment.starter_earns,
        solution=tuple(
            outcome(
                Subject.SOLUTION,
                f"solution, {n + 1} of {REPEATS}",
                root / "solution" / assignment.entry,
                repeat=n,
            )
            for n in range(REPEATS)
        ),
        starter=outcome(Subject.STARTER, "starter", root / "starter" / assignment.entry),
        mutants=tuple(
            MutantFinding(mutant=mutant, outcome=outcome(Subject.MUTANT, mutant.name, root / mutant.path))
            for mutant in assignment.mutants
        ),
        unknown_checks=_unknown_checks(assignment, rubric),
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


def _ids(results: Iterable[CheckResult]) -> frozenset[str]:
    return frozenset(result.spec.id for result in results)


def _unknown_checks(assignment: Assignment, rubric: Rubric) -> tuple[UnknownCheck, ...]:
    known = [check.id for check in rubric.checks]
    return tuple(
        UnknownCheck(mutant=mutant.name, check_id=check_id, suggestion=_nearest(check_id, known))
        for mutant in assignment.mutants
        for check_id in sorted(mutant.fails - set(known))
    )


def _nearest(check_id: str, known: list[str]) -> str | None:
    return next(iter(difflib.get_close_matches(check_id, known, n=1)), None)


def _rubric_problems(report: GateReport) -> Iterable[Problem]:
    checks = report.rubric.checks
    if not checks:
        yield Problem(subject=Subject.RUBRIC, name="rubric", says="the suite has no checks")
    for check_id, count in Counter(check.id for check in checks).items():
        if count > 1:
            yield Problem(
                subject=Subject.RUBRIC,
                name="rubric",
                says=f"{count} checks share the id {check_id}; rename one",
            )


def _solution_problems(report: GateReport) -> Iterable[Problem]:
    worth = report.rubric.max_score
    for number, outcome in enumerate(report.solution, start=1):
        name = f"solution, {number} of {len(report.solution)}"
        if outcome.ungraded:
            yield _not_graded(Subject.SOLUTION, name, outcome)
        if outcome.failed:
            yield Problem(
                subject=Subject.SOLUTION,
                name=name,
                says=f"earns {outcome.score} of {worth}; it fails {_listed(outcome.failed)}",
            )
    if not report.repeats_agree:
        yield Problem(
            subject=Subject.SOLUTION,
            name="solution",
            says="gets other verdicts with other hidden inputs; loosen the tolerance or narrow the inputs",
        )


def _starter_problems(report: GateReport) -> Iterable[Problem]:
    if report.starter.ungraded:
        yield _not_graded(Subject.STARTER, "starter", report.starter)
    elif report.starter.score != report.starter_earns:
        yield Problem(
            subject=Subject.STARTER,
            name="starter",
            says=f"earns {report.starter.score}; the manifest declares {report.starter_earns}",
        )


def _unknown_problem(unknown: UnknownCheck) -> Problem:
    hint = f": did you mean {unknown.suggestion}?" if unknown.suggestion else ""
    return Problem(
        subject=Subject.MUTANT,
        name=unknown.mutant,
        says=f"names {unknown.check_id}, a check that does not exist{hint}",
    )


def _mutant_problems(finding: MutantFinding, rubric: Rubric) -> Iterable[Problem]:
    def problem(says: str) -> Problem:
        return Problem(subject=Subject.MUTANT, name=finding.mutant.name, says=says)

    if finding.outcome.ungraded:
        yield _not_graded(Subject.MUTANT, finding.mutant.name, finding.outcome)
    if passed := finding.missing & {check.id for check in rubric.checks}:
        yield problem(f"passes {_listed(passed)}, which it must fail")
    if finding.extra:
        yield problem(f"also fails {_listed(finding.extra)}, which the manifest does not name")


def _not_graded(subject: Subject, name: str, outcome: Outcome) -> Problem:
    return Problem(
        subject=subject,
        name=name,
        says=f"was not graded on {_listed(outcome.ungraded)}: the suite or the grader broke down",
    )


def _listed(check_ids: Iterable[str]) -> str:
    return ", ".join(sorted(check_ids))
