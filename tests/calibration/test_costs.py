"""Costs are counted for every check, summed over criteria, and shown beside what others pay."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.domain.results import AttemptResult
from grader.domain.verdicts import Family
from tests.builders import a_check, an_attempt
from tests.calibration.costs import ELSEWHERE, family_costs, lines


def attempt(**cpu_s: float) -> AttemptResult:
    checks = [
        replace(a_check(name.replace("_", "."), family=Family(name.split("_")[1])), cpu_s=cost)
        for name, cost in cpu_s.items()
    ]
    return replace(an_attempt(*checks), cost={"run": sum(cpu_s.values()), "pytest": 0.1})


RESULTS = [attempt(f_values_a=0.010, f_values_b=0.030, f_jit_a=0.200), attempt(f_values_a=0.020)]


def test_each_family_counts_its_checks_and_sums_them_up_by_criterion():
    values, jit = family_costs(RESULTS)
    assert (values.family, jit.family) == (Family.VALUES, Family.JIT)
    assert values.checks == pytest.approx([10, 30, 20])
    assert values.criteria == pytest.approx([40, 20])
    assert jit.criteria == pytest.approx([200])


def test_the_table_has_a_line_for_each_family_and_for_each_other_way():
    shown = list(lines(RESULTS))
    assert [line.split()[0] for line in shown[1:4]] == ["values", "jit", "all"]
    assert shown[1].split()[1:5] == ["3", "20", "28", "30"]
    assert "costs 115 ms, loading and pytest included" in shown[4]
    assert len(shown) == 5 + len(ELSEWHERE)


def test_the_figures_from_elsewhere_are_told_for_one_check():
    floor = next(other for other in ELSEWHERE if "floor" in other.way)
    assert round(floor.check_ms) == 442


def test_nothing_is_shown_where_nothing_was_graded():
    assert list(lines([])) == []
