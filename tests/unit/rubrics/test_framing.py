"""Many runs travel in groups that keep to a message's limits, none lost and in order."""

from __future__ import annotations

import numpy as np
import pytest

from grader.engine.bench.answers import ProgramFacts
from grader.engine.protocol import Leaf, LeafKind
from rubrics import framing


def leaf(*shape: int) -> Leaf:
    return Leaf.of(np.zeros(shape, np.float32), kind=LeafKind.JAX)


def facts(*, ops: int, cost: float | None, interpretable: bool = True) -> ProgramFacts:
    return ProgramFacts(
        digest="",
        inputs=(),
        outputs=(),
        ops=ops,
        histogram={},
        custom_calls=(),
        largest_elements=0,
        loops=(),
        constant_bytes=0,
        platforms=("cpu",),
        interpretable=interpretable,
        cost=cost,
    )


def groups(count: int, *inputs: Leaf, results: tuple[Leaf, ...] = ()) -> list[int]:
    sets = [inputs] * count
    cut = list(framing.groups(sets, results))
    assert [each for group in cut for each in group] == sets
    return [len(group) for group in cut]


def test_few_small_runs_are_one_group():
    assert groups(7, leaf(3), leaf(2)) == [7]


def test_no_runs_are_no_group():
    assert groups(0, leaf(3)) == []


def test_more_arrays_than_a_message_takes_are_cut():
    assert groups(1200, leaf(3), leaf(2)) == [500, 500, 200]


def test_what_comes_back_counts_as_well():
    assert groups(1200, leaf(3), results=(leaf(1),) * 4) == [250] * 4 + [200]
    assert groups(5, leaf(3), results=(leaf(4, 1 << 20),)) == [2, 2, 1]


@pytest.mark.parametrize("shape", [(1 << 24,), (1 << 14, 1 << 11)])
def test_one_run_travels_however_large_it_is(shape: tuple[int, ...]):
    assert groups(2, leaf(*shape)) == [1, 1]


def test_a_small_program_is_run_as_often_as_its_steps_allow():
    assert framing.affordable(facts(ops=100, cost=0.002)) > 2_000
    assert 50 < framing.affordable(facts(ops=100, cost=0.5)) < 200


def test_a_program_that_compiles_for_long_is_run_as_often_as_interpreting_allows():
    assert framing.affordable(facts(ops=10_000, cost=0.05)) == 20
    assert framing.affordable(facts(ops=10_000, cost=0.05, interpretable=False)) == 0
    assert framing.affordable(facts(ops=10_000, cost=None)) == 0


def test_a_program_whose_loops_may_be_long_is_run_a_few_times():
    assert framing.affordable(facts(ops=100, cost=None)) == framing.UNKNOWN
