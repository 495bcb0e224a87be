"""The gate's findings in words: a table for people, one object for programs."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from grader.domain.results import JsonValue
from grader.domain.strict_json import exact
from grader.services.gate_report import GateReport, MutantFinding, Outcome
from grader.services.margins import SpeedMargin

HOLDS = "[green]holds[/]"
FAILS = "[bold red]does not[/]"


def render(report: GateReport) -> RenderableType:
    """Tables, problems, advice and the answer, from top to bottom."""
    return Group(_table(report), *_thresholds(report), *_problems(report), *_advice(report), _answer(report))


def as_json(report: GateReport) -> dict[str, JsonValue]:
    """The same as plain JSON. Points are exact: a whole number, or a text such as "1/3"."""
    return {
        "assignment": report.assignment,
        "version": report.version,
        "passed": report.passed,
        "max_score": exact(report.rubric.max_score),
        "repeats_agree": report.repeats_agree,
        "solution": [_outcome_json(outcome) for outcome in report.solution],
        "starter": {**_outcome_json(report.starter), "declared": exact(report.starter_earns)},
        "mutants": [_mutant_json(finding) for finding in report.mutants],
        "speed": [_margin_json(margin) for margin in report.margins],
        "problems": [
            {"subject": problem.subject.value, "name": problem.name, "says": problem.says}
            for problem in report.problems
        ],
        "unguarded_checks": list(report.unguarded),
        "undecided_checks": list(report.undecided),
    }


def _table(report: GateReport) -> Table:
    table = Table(title=f"Publish gate: {escape(report.assignment)}", title_justify="left", show_lines=False)
    for heading in ("Program", "Declared", "Found", "Declaration"):
        table.add_column(heading, overflow="fold")
    worth = report.rubric.max_score
    scores = ", ".join(str(outcome.score) for outcome in report.solution)
    full = report.repeats_agree and all(outcome.score == worth for outcome in report.solution)
    table.add_row(f"solution, {len(report.solution)} runs", f"earns {worth}", f"earns {scores}", _mark(full))
    same = report.starter.score == report.starter_earns and not report.starter.ungraded
    table.add_row("starter", f"earns {report.starter_earns}", f"earns {report.starter.score}", _mark(same))
    unknown = frozenset(item.check_id for item in report.unknown_checks)
    for finding in report.mutants:
        table.add_row(
            f"mutant {escape(finding.mutant.name)}",
            f"fails {_count(len(finding.mutant.fails))}",
            _found(finding, unknown=unknown),
            _mark(finding.holds),
        )
    return table


def _thresholds(report: GateReport) -> Iterator[RenderableType]:
    """How much room each speed threshold has; nothing if speed is not graded."""
    if not report.margins:
        return
    table = Table(title="\nSpeed, in times the baseline's", title_justify="left", show_lines=False)
    for heading in ("Check", "Asks for", "Solution", "Highest with room", "Room"):
        table.add_column(heading, overflow="fold")
    for margin in report.margins:
        table.add_row(
            escape(margin.check_id),
            f"{margin.needed:g}",
            f"{margin.ratio:.3g} ({margin.low:.3g} to {margin.high:.3g})",
            "none" if margin.highest is None else f"{margin.highest:g}",
            _mark(margin.holds),
        )
    yield table


def _found(finding: MutantFinding, *, unknown: frozenset[str]) -> str:
    if finding.holds:
        return "fails exactly these"
    parts = [
        *(f"passes {check}" for check in sorted(finding.missing - unknown)),
        *(f"also fails {check}" for check in sorted(finding.extra)),
        *(f"not graded: {check}" for check in sorted(finding.outcome.ungraded)),
    ]
    if finding.mutant.fails & unknown:
        parts.append("names a check that does not exist")
    return escape("\n".join(parts))


def _problems(report: GateReport) -> Iterator[RenderableType]:
    if report.problems:
        yield Text("\nProblems", style="bold")
        for problem in report.problems:
            end = "" if problem.says.endswith("?") else "."
            yield Text(f"  {problem.name}: {problem.says}{end}")


def _advice(report: GateReport) -> Iterator[RenderableType]:
    if report.unguarded:
        yield Text(
            "\nAdvice: no mutant fails these checks, so nothing shows that they can fail.", style="bold"
        )
        yield from (Text(f"  {check}") for check in report.unguarded)
    if report.undecided:
        yield Text(
            "\nAdvice: noise kept these checks from deciding; move their thresholds away.", style="bold"
        )
        yield from (Text(f"  {check}") for check in report.undecided)


def _answer(report: GateReport) -> Text:
    name = f"{report.assignment} (version {report.version[:12]})"
    if report.passed:
        return Text(f"\nThe gate is open: {name} grades as its manifest declares.", style="bold green")
    count = len(report.problems)
    return Text(f"\nThe gate is shut: {count} problem{'s' if count > 1 else ''} in {name}.", style="bold red")


def _mark(holds: bool) -> str:  # noqa: FBT001 - one value, one word
    return HOLDS if holds else FAILS


def _count(number: int) -> str:
    return "1 check" if number == 1 else f"{number} checks"


def _listed(check_ids: frozenset[str]) -> list[JsonValue]:
    return [*sorted(check_ids)]


def _outcome_json(outcome: Outcome) -> dict[str, JsonValue]:
    return {
        "score": exact(outcome.score),
        "failed": _listed(outcome.failed),
        "not_graded": _listed(outcome.ungraded),
        "undecided": _listed(outcome.undecided),
    }


def _mutant_json(finding: MutantFinding) -> dict[str, JsonValue]:
    return {
        "name": finding.mutant.name,
        "about": finding.mutant.about,
        "holds": finding.holds,
        "must_fail": _listed(finding.mutant.fails),
        "missing": _listed(finding.missing),
        "extra": _listed(finding.extra),
        **_outcome_json(finding.outcome),
    }


def _margin_json(margin: SpeedMargin) -> dict[str, JsonValue]:
    """Speeds in times the baseline's."""
    return {
        "check": margin.check_id,
        "asks_for": margin.needed,
        "solution": {"ratio": margin.ratio, "low": margin.low, "high": margin.high, "pairs": margin.pairs},
        "highest_with_room": margin.highest,
        "holds": margin.holds,
    }
