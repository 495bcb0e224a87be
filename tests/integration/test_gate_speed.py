"""The gate, with the real engine, on thresholds that noise can reach and on one that it cannot."""

from __future__ import annotations

import pytest

from grader.content.assignments import read_assignment
from grader.engine import Engine
from grader.services.gate import run_gate
from grader.services.gate_report import GateReport, Subject
from tests.grading import write_assignment

pytestmark = pytest.mark.slow

LOOP = """\
import jax.numpy as jnp
from jax import lax

def double(x):
    return lax.fori_loop(0, {double}, lambda _, y: jnp.sin(y) + x, x)

def total(x):
    return lax.fori_loop(0, {total}, lambda _, y: jnp.sin(y) + x, x)
"""
SUITE = '''\
from rubrics import criterion, f32

X = f32[256]

@criterion("jit", points=1, function="double")
def test_has_room(submission, baseline, draw):
    """At least 2.5 times faster, where 8 times can be had."""
    submission.double.is_faster_than(baseline.double, at_least=2.5, on=draw(X))

@criterion("jit", points=1, function="double")
def test_asks_for_much(submission, baseline, draw):
    """At least 6 times faster, where 8 times can be had."""
    submission.double.is_faster_than(baseline.double, at_least=6, on=draw(X))

@criterion("jit", points=1, function="double")
def test_asks_for_little(submission, baseline, draw):
    """At least 1.3 times faster: the baseline nearly is."""
    submission.double.is_faster_than(baseline.double, at_least=1.3, on=draw(X))

@criterion("jit", points=1, function="total")
def test_slow_to_begin_with(submission, baseline, draw):
    """At least 2 times faster, where 3 times can be had."""
    submission.total.is_faster_than(baseline.total, at_least=2, on=draw(X))
'''


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> GateReport:
    root = tmp_path_factory.mktemp("speed")
    write_assignment(root, suite=SUITE, solution=LOOP.format(double=100, total=100))
    baseline = root / "solution" / "baseline.py"
    baseline.write_text(LOOP.format(double=800, total=300), encoding="utf-8")
    with Engine() as engine:
        return run_gate(read_assignment(root), engine)


def test_a_threshold_with_room_on_both_sides_is_let_through(report: GateReport):
    held = [margin.check_id for margin in report.margins if margin.holds]
    assert held == ["double.jit.has_room"]


@pytest.mark.parametrize(
    "check, says",
    [
        ("double.jit.asks_for_much", "set at_least to 3."),
        ("double.jit.asks_for_little", "set at_least to 2 or more"),
        ("total.jit.slow_to_begin_with", "no threshold with room"),
    ],
)
def test_a_threshold_in_reach_of_noise_is_refused_by_name_with_what_to_set(
    report: GateReport, check: str, says: str
):
    said = {problem.name: problem.says for problem in report.problems if problem.subject is Subject.SPEED}
    assert says in said[check]
    assert not report.passed


def test_the_room_is_what_was_measured(report: GateReport):
    measured = {margin.check_id: margin for margin in report.margins}
    assert 6 < measured["double.jit.has_room"].ratio < 10
    assert 2 < measured["total.jit.slow_to_begin_with"].ratio < 4
    assert all(margin.pairs >= 24 for margin in measured.values())
