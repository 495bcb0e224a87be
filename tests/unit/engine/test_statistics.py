"""Decisions on made-up samples: right far from the threshold, silent near it, and always the same."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

from grader.domain.errors import EngineFault
from grader.engine.statistics import Decision, Pace, RaceRule, decide, is_over, median_bounds, ratios

Floats = npt.NDArray[np.float64]
RULE = RaceRule()


def noisy(rng: np.random.Generator, true_ratio: float, count: int) -> Floats:
    """Paired ratios with the noise of a shared machine: a tenth either way, and bursts of three times."""
    values = true_ratio * np.exp(0.1 * rng.standard_normal(count))
    bursts = rng.random(count)
    values[bursts < 0.05] *= 3
    values[bursts > 0.95] /= 3
    return values


def race(draw: Callable[[int], Floats], *, needed: float, pair_s: float = 0.004) -> Decision:
    """A whole race: pairs are added until the rule stops it."""
    stream = draw(RULE.most_pairs)
    for count in range(1, RULE.most_pairs + 1):
        if is_over(stream[:count], spent_s=count * pair_s, needed=needed, rule=RULE):
            return decide(stream[:count], needed=needed)
    raise AssertionError("a race must end")


@pytest.mark.parametrize(
    "true_ratio, expected", [(10.0, Pace.SLOWER), (40.0, Pace.FASTER), (100.0, Pace.FASTER)]
)
def test_twice_off_the_threshold_the_verdict_is_right_and_quick(true_ratio: float, expected: Pace) -> None:
    rng = np.random.default_rng(1)
    decisions = [race(lambda count: noisy(rng, true_ratio, count), needed=20.0) for _ in range(300)]

    assert {decision.pace for decision in decisions} == {expected}
    assert np.median([decision.pairs for decision in decisions]) <= 10


def test_at_the_threshold_a_wrong_verdict_is_rare() -> None:
    rng = np.random.default_rng(2)
    decisions = [race(lambda count: noisy(rng, 20.0, count), needed=20.0) for _ in range(300)]

    assert np.mean([decision.pace is Pace.UNCERTAIN for decision in decisions]) > 0.9


@pytest.mark.parametrize("true_ratio", [18.0, 19.0, 20.0, 21.0, 22.0])
def test_within_a_tenth_of_the_threshold_no_verdict_is_given(true_ratio: float) -> None:
    rng = np.random.default_rng(int(true_ratio))
    decisions = [race(lambda count: noisy(rng, true_ratio, count), needed=20.0) for _ in range(300)]
    right = Pace.FASTER if true_ratio >= 20 else Pace.SLOWER
    paces = [decision.pace for decision in decisions]

    assert set(paces) <= {Pace.UNCERTAIN, right}
    assert paces.count(Pace.UNCERTAIN) > 270


def test_a_ratio_known_to_be_too_close_ends_the_race_at_once() -> None:
    close = [20.5, 19.5] * 4

    assert is_over(close, spent_s=0.1, needed=20, rule=RULE)
    assert decide(close, needed=20) == Decision(
        pace=Pace.UNCERTAIN, ratio=20.0, low=19.5, high=20.5, pairs=8, needed=20, is_close=True
    )


def test_a_ratio_that_noise_hides_is_not_close_and_the_race_goes_on() -> None:
    noise = [10.0, 40.0] * 4

    assert not is_over(noise, spent_s=0.1, needed=20, rule=RULE)
    assert not decide(noise, needed=20).is_close


def test_load_that_slows_both_sides_alike_changes_nothing() -> None:
    rng = np.random.default_rng(3)
    load = 1 + 4 * rng.random(80)
    decision = decide(ratios(0.001 * load, 0.05 * load), needed=20.0)

    assert (decision.pace, round(decision.ratio, 6)) == (Pace.FASTER, 50.0)


def test_a_bias_of_a_tenth_cannot_turn_a_verdict_that_is_given() -> None:
    rng = np.random.default_rng(4)
    biased = [race(lambda count: 1.1 * noisy(rng, 18.0, count), needed=20.0) for _ in range(200)]

    assert np.mean([decision.pace is Pace.FASTER for decision in biased]) < 0.02


def test_the_same_samples_give_the_same_decision() -> None:
    samples = noisy(np.random.default_rng(5), 25.0, 40)

    assert decide(samples, needed=20.0) == decide(list(samples), needed=20.0)


def test_the_order_of_the_samples_does_not_matter() -> None:
    samples = noisy(np.random.default_rng(6), 25.0, 41)

    assert decide(samples, needed=20.0) == decide(samples[::-1], needed=20.0)


@pytest.mark.parametrize("count", [8, 9, 15, 30, 80])
def test_the_bounds_cover_the_median_as_often_as_they_say(count: int) -> None:
    rng = np.random.default_rng(count)
    trials = 4000
    bounds = np.array([median_bounds(rng.lognormal(size=count), confidence=0.995) for _ in range(trials)])
    allowed = 0.005 + 4 * math.sqrt(0.005 * 0.995 / trials)

    assert np.mean(bounds[:, 0] > 1.0) <= allowed
    assert np.mean(bounds[:, 1] < 1.0) <= allowed


def test_the_bounds_narrow_with_more_samples() -> None:
    samples = np.random.default_rng(7).lognormal(size=80)
    low_few, high_few = median_bounds(samples[:10], confidence=0.995)
    low_many, high_many = median_bounds(samples, confidence=0.995)

    assert high_many - low_many < high_few - low_few


@pytest.mark.parametrize("values", [[3.0], [1.0, 5.0], [2.0, 2.0, 2.0]])
def test_few_samples_are_bounded_by_their_extremes(values: list[float]) -> None:
    assert median_bounds(values, confidence=0.995) == (min(values), max(values))


def test_a_race_takes_at_least_eight_pairs_while_there_is_time() -> None:
    clear = [100.0] * 8

    assert not is_over(clear[:7], spent_s=0.1, needed=20, rule=RULE)
    assert is_over(clear, spent_s=0.1, needed=20, rule=RULE)


def test_slow_programs_stop_early_only_when_the_answer_is_plain() -> None:
    assert not is_over([100.0] * 2, spent_s=9.0, needed=20, rule=RULE)
    assert is_over([100.0] * 3, spent_s=9.0, needed=20, rule=RULE)
    assert is_over([1.0] * 3, spent_s=9.0, needed=20, rule=RULE)
    assert not is_over([30.0] * 4, spent_s=9.0, needed=20, rule=RULE)
    assert is_over([30.0] * 5, spent_s=9.0, needed=20, rule=RULE)


def test_no_race_is_longer_than_eighty_pairs() -> None:
    assert is_over([20.0] * 80, spent_s=0.1, needed=20, rule=RULE)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
def test_impossible_times_are_a_fault_not_a_verdict(bad: float) -> None:
    with pytest.raises(EngineFault):
        ratios([1.0, bad], [1.0, 1.0])


def test_unpaired_times_are_a_fault() -> None:
    with pytest.raises(EngineFault):
        ratios([1.0, 2.0], [1.0])


def test_no_samples_decide_nothing() -> None:
    with pytest.raises(EngineFault):
        decide([], needed=2)
