"""The gate's findings as tables and sentences for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from grader.domain.text import listing
from grader.services.gate_report import GateReport, MutantFinding

HOLDS = "[green]holds[/]"
FAILS = "[bold red]does not[/]"


def render(report: GateReport) -> RenderableType:
    """Tables, problems, advice and the answer, from top to bottom."""
    return Group(_table(report), *_thresholds(report), *_problems(report), *_advice(report), _answer(report))


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
    if report.lesson_gaps:
        yield Text(
            "\nAdvice: feedback would point to headings that the lesson lacks; students read it without.",
            style="bold",
        )
        yield from (Text(f"  {gap.anchor}: {listing(gap.check_ids, each=120)}") for gap in report.lesson_gaps)


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
