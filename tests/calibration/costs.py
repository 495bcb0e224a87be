"""What judging costs, family by family, beside what others pay for a check."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from grader.domain.results import AttemptResult
from grader.domain.verdicts import Family

CHECKS_ELSEWHERE = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """CPU seconds of grading one submission to an assignment of `CHECKS_ELSEWHERE` checks, some other way.

    Medians on a quiet machine with two cores, JAX 0.10.2 on its CPU; five functions as in functional-core,
    references in NumPy. Other machines, assignments and submissions cost otherwise: trust the proportions.
    """

    way: str
    cpu_s: float

    @property
    def check_ms(self) -> float:
        return 1000 * self.cpu_s / CHECKS_ELSEWHERE


ELSEWHERE = (
    Elsewhere(way="nbgrader 0.9.6", cpu_s=14.6),
    Elsewhere(way="otter-grader 7.0.0", cpu_s=11.7),
    Elsewhere(way="check50 3.5.0", cpu_s=8.3),
    Elsewhere(way="pytest in a new process", cpu_s=7.2),
    Elsewhere(way="gradescope-utils in a new process", cpu_s=6.8),
    Elsewhere(way="pytest in a fork of a warm process", cpu_s=5.9),
    Elsewhere(way="plain calls in a warm interpreter, nothing compiled yet (the floor)", cpu_s=5.3),
    Elsewhere(way="the same with everything compiled already", cpu_s=1.7),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyCost:
    """CPU milliseconds of every check and of every criterion of one family, over all submissions."""

    family: Family
    checks: Sequence[float]
    criteria: Sequence[float]

    @property
    def total(self) -> float:
        return sum(self.checks)


def family_costs(results: Iterable[AttemptResult]) -> Iterator[FamilyCost]:
    """The cost of each family that was judged. What several checks share is paid by the first that asks."""
    criteria = [criterion for result in results for criterion in result.criteria]
    for family in Family:
        chosen = [found for found in criteria if found.criterion.family is family]
        if chosen:
            yield FamilyCost(
                family=family,
                checks=[1000 * check.cpu_s for found in chosen for check in found.checks],
                criteria=[1000 * sum(check.cpu_s for check in found.checks) for found in chosen],
            )


def lines(results: Sequence[AttemptResult]) -> Iterator[str]:
    """The table, line by line; nothing without results."""
    costs = list(family_costs(results))
    if not costs:
        return
    everything = sum(cost.total for cost in costs)
    yield f"{'CPU ms':14}{'checks':>8}{'median':>8}{'p90':>8}{'  a criterion':>14}{'p90':>8}{'share':>8}"
    for cost in costs:
        share = cost.total / max(everything, 1e-9)
        yield f"{cost.family.value:14}{_row(cost.checks, cost.criteria)}{share:8.0%}"
    checks = [ms for cost in costs for ms in cost.checks]
    yield f"{'all':14}{_row(checks, [ms for cost in costs for ms in cost.criteria])}"
    here = 1000 * sum(sum(result.cost.values()) for result in results) / len(checks)
    yield f"a check, here of a whole family, costs {here:.0f} ms, loading and pytest included; elsewhere"
    for other in ELSEWHERE:
        yield f"{other.check_ms:10.0f} ms  {other.way}"


def _row(checks: Sequence[float], criteria: Sequence[float]) -> str:
    check, criterion = (np.percentile(values, [50, 90]) for values in (checks, criteria))
    return f"{len(checks):8}{check[0]:8.0f}{check[1]:8.0f}{criterion[0]:14.0f}{criterion[1]:8.0f}"
