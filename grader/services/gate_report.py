"""What the publish gate found, held against what the author declared: a value, and its problems in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from grader.domain.results import AttemptResult, CheckResult
from grader.domain.rubric import Mutant, Rubric
from grader.domain.verdicts import Verdict
from grader.services.margins import SpeedMargin

GIVES_POINTS = frozenset({Verdict.PASSED, Verdict.INCONCLUSIVE})


class Subject(StrEnum):
    """What is being held against its declaration."""

    RUBRIC = "rubric"
    SPEED = "speed"
    SOLUTION = "solution"
    STARTER = "starter"
    MUTANT = "mutant"


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
class LessonGap:
    """A heading that feedback would point to and the lesson lacks, with the checks that gave it."""

    anchor: str
    check_ids: tuple[str, ...]


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
    margins: tuple[SpeedMargin, ...] = ()
    """How far each speed threshold lies from the solution and from the baseline."""
    lesson_gaps: tuple[LessonGap, ...] = ()
    """Headings that the lesson lacks. Advice: students read that feedback without a pointer into it."""

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
            *_speed_problems(self),
            *_starter_problems(self),
            *(_unknown_problem(unknown) for unknown in self.unknown_checks),
            *(problem for finding in self.mutants for problem in _mutant_problems(finding, self.rubric)),
        )


def _ids(results: Iterable[CheckResult]) -> frozenset[str]:
    return frozenset(result.spec.id for result in results)


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


def _speed_problems(report: GateReport) -> Iterable[Problem]:
    for margin in report.margins:
        if not margin.holds:
            yield Problem(subject=Subject.SPEED, name=margin.check_id, says=margin.advice)


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
