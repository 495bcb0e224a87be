"""Bounds on chance: above what really happens, and not so far above that they say nothing."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from rubrics import bounds

TRIALS = 4000
ROOM = 1.3
"""What the simulated frequencies may lie above a bound by their own chance."""

Drawn = Callable[[np.random.Generator], float]


def of_normal_mean(rng: np.random.Generator) -> float:
    return bounds.of_mean(float(rng.normal(size=50).mean()), 50)


def of_normal_squares(rng: np.random.Generator) -> float:
    return bounds.of_mean_square(float((rng.normal(size=50) ** 2).mean()), 50)


def of_normal_neighbours(rng: np.random.Generator) -> float:
    rows = rng.normal(size=(5, 20))
    return bounds.of_neighbours(float((rows[:, :-1] * rows[:, 1:]).mean()), {20: 5})


def of_long_chains(rng: np.random.Generator) -> float:
    row = rng.normal(size=300)
    return bounds.of_neighbours(float((row[:-1] * row[1:]).mean()), {300: 1})


def of_normal_pairs(rng: np.random.Generator) -> float:
    pairs = rng.normal(size=(2, 30))
    return bounds.of_neighbours(float(pairs.prod(axis=0).mean()), {2: 30, 1: 4})


def of_a_count(rng: np.random.Generator) -> float:
    return bounds.of_count(int(rng.binomial(60, 0.2)), 60, 0.2)


def of_rare_events(rng: np.random.Generator) -> float:
    return bounds.of_rare(int(rng.poisson(3.0)), 3.0)


def of_uniform_distance(rng: np.random.Generator) -> float:
    ranks = np.sort(rng.uniform(size=50))
    steps = np.arange(1, 51) / 50
    return bounds.of_distance(float(np.maximum(steps - ranks, ranks - steps + 1 / 50).max()), 50)


ALL = [
    of_normal_mean,
    of_normal_squares,
    of_normal_neighbours,
    of_long_chains,
    of_normal_pairs,
    of_a_count,
    of_rare_events,
    of_uniform_distance,
]


@pytest.mark.parametrize("drawn", ALL, ids=lambda drawn: drawn.__name__)
@pytest.mark.parametrize("level", [0.5, 0.1, 0.02])
def test_chance_alone_goes_below_a_level_no_more_often_than_the_level_says(drawn: Drawn, level: float):
    rng = np.random.default_rng(5)
    below = sum(drawn(rng) < math.log(level) for _ in range(TRIALS))
    assert below <= ROOM * level * TRIALS


@pytest.mark.parametrize("drawn", ALL, ids=lambda drawn: drawn.__name__)
def test_a_bound_is_no_more_than_a_power_away_from_what_happens(drawn: Drawn):
    rng = np.random.default_rng(6)
    below = sum(drawn(rng) < math.log(0.25) for _ in range(TRIALS))
    assert below > 0.01 * TRIALS


def test_what_cannot_happen_has_no_chance():
    assert bounds.of_count(1, 5, 0.0) == -math.inf
    assert bounds.of_count(4, 5, 1.0) == -math.inf
    assert bounds.of_rare(1, 0.0) == -math.inf
    assert bounds.of_mean_square(0.0, 5) == -math.inf


def test_nothing_drawn_says_nothing():
    assert bounds.of_count(0, 0, 0.5) == 0.0
    assert bounds.of_mean_square(0.0, 0) == 0.0
    assert bounds.of_rare(0, 3.0) == 0.0
    assert bounds.of_count(5, 5, 1.0) == 0.0
