"""The gate's findings as plain JSON: for programs, and for keeping beside what was published."""

from __future__ import annotations

from grader.domain.results import JsonValue
from grader.domain.strict_json import exact
from grader.services.gate_report import GateReport, MutantFinding, Outcome
from grader.services.margins import SpeedMargin


def as_json(report: GateReport) -> dict[str, JsonValue]:
    """The report as plain JSON. Points are exact: a whole number, or a text such as "1/3"."""
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
        "lesson_gaps": [{"anchor": gap.anchor, "checks": list(gap.check_ids)} for gap in report.lesson_gaps],
    }


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
