"""Races between programs whose true ratio is far from the threshold end right, every time."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from grader.domain.errors import ProgramRefused
from grader.engine.bench import client
from grader.engine.bench.answers import How
from grader.engine.bench.raceresult import Basis, RaceResult
from grader.engine.statistics import Pace, RaceRule, ratios
from tests.unit.engine.bench.local import LocalBench, exported, leaves

RNG = np.random.default_rng(3)
ROWS = [RNG.standard_normal((128, 32), dtype=np.float32) for _ in range(3)]
SETS = [leaves([rows]) for rows in ROWS]
BENCH = LocalBench()


def at_once(x):
    norms = (x * x).sum(1)
    return norms[:, None] + norms[None] - 2 * x @ x.T


def row_by_row(x):
    return lax.map(lambda a: lax.map(lambda b: ((a - b) ** 2).sum(), x), x)


FAST, SLOW = exported(at_once, ROWS[0]), exported(row_by_row, ROWS[0])


def run(submission: bytes, rival: bytes, *, at_least: float, rule: RaceRule | None = None) -> RaceResult:
    return client.race(
        BENCH,
        {"submission": submission, "rival": rival, "reference": FAST},
        SETS,
        at_least=at_least,
        rule=rule,
    )


def test_a_much_faster_program_wins_twenty_times_of_twenty() -> None:
    paces = [run(FAST, SLOW, at_least=2).decision(at_least=2).pace for _ in range(20)]

    assert paces == [Pace.FASTER] * 20


def test_a_program_that_is_no_faster_loses_twenty_times_of_twenty() -> None:
    paces = [run(SLOW, SLOW, at_least=3).decision(at_least=3).pace for _ in range(20)]

    assert paces == [Pace.SLOWER] * 20


def test_at_the_threshold_no_verdict_is_given() -> None:
    rule = RaceRule(budget_s=0.2)

    assert run(FAST, FAST, at_least=1, rule=rule).decision(at_least=1).pace is Pace.UNCERTAIN


def test_the_samples_come_in_pairs_and_allow_to_decide_again() -> None:
    result = run(FAST, SLOW, at_least=2)
    submission, rival = result.lanes["submission"], result.lanes["rival"]
    decision = result.decision(at_least=2)

    assert result.basis is Basis.CPU
    assert (
        len(submission.cpu_s) == len(rival.cpu_s) == len(result.lanes["reference"].wall_s) == decision.pairs
    )
    assert decision.ratio == pytest.approx(float(np.median(ratios(submission.cpu_s, rival.cpu_s))))
    assert decision.low <= decision.ratio <= decision.high


def test_a_sample_of_a_short_program_holds_many_runs() -> None:
    lane = run(FAST, SLOW, at_least=2).lanes["submission"]

    assert lane.repeats > 1
    assert lane.repeats * float(np.median(lane.cpu_s)) > 0.0005


def test_timed_runs_return_what_they_computed() -> None:
    result = run(FAST, SLOW, at_least=2)
    expected = client.evaluate(BENCH, FAST, [SETS[result.last_set]], how=How.COMPILE).outputs[0][0]

    for lane in ("submission", "rival", "reference"):
        (output,) = result.outputs[lane]
        np.testing.assert_allclose(output.array, expected.array, atol=1e-3)


def test_compilation_is_reported_apart_and_paid_once() -> None:
    bench, other = LocalBench(), exported(lambda x: at_once(x) + 1, ROWS[0])
    lanes = {"submission": other, "rival": SLOW}
    first = client.race(bench, lanes, SETS, at_least=2)
    second = client.race(bench, lanes, SETS, at_least=2)

    assert first.lanes["submission"].compile_s > 0
    assert second.lanes["submission"].compile_s == 0


def test_a_program_that_must_not_run_is_not_raced() -> None:
    with pytest.raises(ProgramRefused):
        run(b"nonsense", SLOW, at_least=2)


def test_a_program_without_inputs_can_be_raced() -> None:
    constant = exported(lambda: jnp.zeros(3) + 1)
    lanes = {"submission": constant, "rival": constant}
    result = client.race(BENCH, lanes, [[]], at_least=5, rule=RaceRule(budget_s=0.1))

    assert result.decision(at_least=5).pace is Pace.SLOWER
