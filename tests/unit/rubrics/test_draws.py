"""Statistics of draws: right ones pass, each way to be wrong shows in its statistic."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from grader.domain.catalogue import render
from grader.domain.results import Feedback
from rubrics.checks.values import FOURTH_MOMENT, SAME_DRAWS, SIGMAS, _repeats, _statistics

SIZE = (40, 64)


def off(samples: np.ndarray[Any, Any], *, mean: float = 0.0, std: float = 1.0) -> set[str]:
    """Names of the statistics that are off."""
    flat = (samples.ravel() - mean) / std
    return {name for name, _, _, distance in _statistics(flat, list(samples), mean, std) if distance > SIGMAS}


@pytest.mark.parametrize("seed", range(20))
def test_normal_draws_pass(seed: int):
    assert off(np.random.default_rng(seed).normal(size=SIZE)) == set()


def test_a_mean_and_a_spread_are_allowed_for():
    assert off(np.random.default_rng(1).normal(5, 0.1, SIZE), mean=5, std=0.1) == set()


def test_each_fault_shows():
    rng = np.random.default_rng(2)
    assert "mean" in off(rng.normal(0.3, 1, SIZE))
    assert "variance" in off(rng.normal(0, 1.3, SIZE))
    assert FOURTH_MOMENT in off(rng.uniform(-(3**0.5), 3**0.5, SIZE))
    assert "correlation of neighbours" in off(np.cumsum(rng.normal(size=SIZE), axis=1) / 5)
    assert "number of repeated draws" in off(np.repeat(rng.normal(size=(40, 32)), 2, axis=1))


def test_one_set_of_draws_for_all_keys_is_told_from_draws_of_their_own():
    rng = np.random.default_rng(3)
    once = rng.normal(size=64)
    assert _repeats([once, once.copy(), once.copy()])
    assert not _repeats([once, once, rng.normal(size=64)])


@pytest.mark.parametrize("samples", [[np.ones(3)], [np.zeros(0), np.zeros(0)], [np.ones(2), np.ones(3)]])
def test_one_case_no_draws_or_other_lengths_say_nothing_about_keys(samples: list[np.ndarray[Any, Any]]):
    assert not _repeats(samples)


def test_the_same_draws_for_every_key_are_said_to_be_that():
    shown = render(Feedback(code="values.distribution", params={"function": "f", **SAME_DRAWS}))
    assert "the same numbers for every key" in shown.message
    assert shown.lesson == "#prng-keys"
