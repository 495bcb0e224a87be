"""The suite's own assignment could be published: its solution earns all, and every mutant is caught."""

from __future__ import annotations

import pytest

from grader.content.assignments import read_assignment
from grader.engine import Engine
from grader.services.gate import run_gate
from tests.hostile.cases import Stake, read_cases, stake_of
from tests.hostile.grading import ASSIGNMENT

pytestmark = pytest.mark.slow


def test_the_gate_lets_it_through_and_it_has_points_for_every_stake() -> None:
    with Engine() as engine:
        report = run_gate(read_assignment(ASSIGNMENT), engine)
    assert report.problems == ()
    offered = {(check.function, stake_of(check)) for check in report.rubric.checks}
    # What is honest has at stake whatever there is.
    wanted = {(case.target, stake) for case in read_cases() if not case.honest for stake in case.stake}
    assert wanted <= offered
    assert {stake for _, stake in offered} == set(Stake)
