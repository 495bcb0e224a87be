"""Rows that share a draw are told from rows drawn one by one, whatever they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rubrics.checks import rows

Array = npt.NDArray[Any]
Drawn = Callable[[np.random.Generator], Array]

MANY = 10**6
"""More numbers than any of these rows hold."""

DRAWS: dict[str, Drawn] = {
    "six numbers": lambda rng: rng.normal(size=6),
    "rows of numbers": lambda rng: rng.normal(size=(40, 3)),
    "numbers without a mean": lambda rng: rng.standard_cauchy((30, 5)),
    "coins": lambda rng: rng.integers(0, 2, 40),
    "a mask": lambda rng: rng.uniform(size=(100, 50)) < 0.5,
    "a mask that drops little": lambda rng: rng.uniform(size=(100, 50)) < 0.02,
    "one of 18 versions": lambda rng: np.stack([rng.integers(0, n, 40) for n in (2, 3, 3)], axis=1),
    "small counts": lambda rng: rng.poisson(0.2, (30, 4)),
    "skewed numbers": lambda rng: np.exp(3 * rng.normal(size=(10, 3))),
}


def drawn_with_keys(draw: Drawn, seed: int) -> list[Array]:
    rng = np.random.default_rng(seed)
    return [draw(rng) for _ in range(rows.KEYS)]


@pytest.mark.parametrize("name", DRAWS)
def test_rows_of_their_own_pass(name: str):
    assert not any(rows.shared(drawn_with_keys(DRAWS[name], seed), drawn=MANY) for seed in range(20))


@pytest.mark.parametrize("name", DRAWS)
def test_one_row_for_all_shows(name: str):
    def copied(rng: np.random.Generator) -> Array:
        once = DRAWS[name](rng)
        return np.repeat(once[:1], len(once), axis=0)

    assert rows.shared(drawn_with_keys(copied, 0), drawn=1)


@pytest.mark.parametrize("name", ["six numbers", "rows of numbers", "one of 18 versions", "a mask"])
def test_copies_show_however_much_was_drawn_besides(name: str):
    def copied(rng: np.random.Generator) -> Array:
        once = DRAWS[name](rng)
        return np.repeat(once[:1], len(once), axis=0)

    assert rows.shared(drawn_with_keys(copied, 0), drawn=MANY)


def test_a_few_coins_that_fall_alike_are_chance_if_each_was_thrown():
    def two(rng: np.random.Generator) -> Array:
        return rng.integers(0, 2, 2)

    assert not any(rows.shared(drawn_with_keys(two, seed), drawn=2) for seed in range(200))


def test_a_draw_for_all_rows_shows_beside_draws_of_their_own():
    assert rows.shared(
        drawn_with_keys(lambda rng: rng.poisson(4 * rng.gamma(2) * np.ones(60)), 1), drawn=MANY
    )
    assert rows.shared(drawn_with_keys(lambda rng: rng.normal() + rng.normal(size=60), 1), drawn=MANY)


def test_a_third_of_different_numbers_shows():
    assert rows.shared(drawn_with_keys(lambda rng: np.tile(rng.normal(size=16), 3), 1), drawn=MANY)


def test_what_no_key_changes_is_not_taken_for_a_shared_key():
    assert not rows.shared([np.ones((5, 2))] * rows.KEYS, drawn=MANY)


@pytest.mark.parametrize("draws", [[], [np.float32(1)], [np.zeros((0, 3))], [np.ones(2), np.ones(3)]])
def test_no_rows_tell_nothing(draws: list[Array]):
    assert not rows.shared(draws, drawn=0)
