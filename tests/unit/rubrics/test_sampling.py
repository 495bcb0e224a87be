"""Draws against laws: right ones pass, and each way to be wrong shows in a statistic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import numpy.typing as npt
import pytest

from rubrics import laws, sampling
from rubrics.laws import Law

Array = npt.NDArray[Any]
Drawn = Callable[[np.random.Generator, int], Array]

MANY, ROW = 20_000, 200
NORMAL = laws.normal()


def odd(drawn: Array, law: Law, *, coarse: bool = False) -> str | None:
    """The name of the statistic that is off, of draws cut into rows."""
    found = sampling.oddity(np.split(drawn, range(ROW, drawn.size, ROW)), law, coarse=coarse)
    return None if found is None else found.statistic


def cut_off(at: float) -> Drawn:
    def drawn(rng: np.random.Generator, size: int) -> Array:
        numbers = rng.normal(size=2 * size)
        return numbers[np.abs(numbers) < at][:size]

    return drawn


def following(correlation: float) -> Drawn:
    def drawn(rng: np.random.Generator, size: int) -> Array:
        numbers = rng.normal(size=size + 1)
        return (numbers[1:] + correlation * numbers[:-1]) / np.hypot(1, correlation)

    return drawn


def _mirrored(numbers: Array) -> Array:
    """Rows whose second half is the first with the sign turned, and a little rounding."""
    half = numbers.reshape(-1, ROW)[:, : ROW // 2]
    return np.concatenate([half, -half * (1 + 1e-7)], axis=1).ravel()


RIGHT: dict[str, tuple[Law, Drawn]] = {
    "normal": (NORMAL, lambda rng, size: rng.normal(size=size)),
    "normal, moved and scaled": (laws.normal(5, 0.1), lambda rng, size: rng.normal(5, 0.1, size)),
    "uniform": (laws.uniform(-1, 3), lambda rng, size: rng.uniform(-1, 3, size)),
    "exponential": (laws.exponential(2), lambda rng, size: rng.exponential(2, size)),
    "by its distribution function": (
        laws.continuous(lambda x: min(max(x, 0), 1) ** 2, mean=2 / 3, std=18**-0.5, low=0, high=1),
        lambda rng, size: np.sqrt(rng.uniform(size=size)),
    ),
    "coin": (laws.bernoulli(0.3), lambda rng, size: rng.uniform(size=size) < 0.3),
    "die": (laws.integers(1, 6), lambda rng, size: rng.integers(1, 7, size)),
    "categories": (laws.categorical([0.2, 0.8]), lambda rng, size: rng.choice(2, size, p=[0.2, 0.8])),
    "any of a spread": (laws.spread(1, 2), lambda rng, size: 1 + 2 * rng.uniform(-(3**0.5), 3**0.5, size)),
}  # fmt: skip

WRONG: dict[str, tuple[Law, Drawn]] = {
    "5 % too narrow": (NORMAL, lambda rng, size: 0.95 * rng.normal(size=size)),
    "5 % too wide": (NORMAL, lambda rng, size: 1.05 * rng.normal(size=size)),
    "moved by 0.1": (NORMAL, lambda rng, size: 0.1 + rng.normal(size=size)),
    "cut off at 2.5": (NORMAL, cut_off(2.5)),
    "cut off at 3": (NORMAL, cut_off(3)),
    "uniform of the same variance": (NORMAL, lambda rng, size: rng.uniform(-(3**0.5), 3**0.5, size)),
    "Laplace of the same variance": (NORMAL, lambda rng, size: rng.laplace(0, 2**-0.5, size)),
    "logistic of the same variance": (NORMAL, lambda rng, size: rng.logistic(0, 3**0.5 / np.pi, size)),
    "t of the same variance": (NORMAL, lambda rng, size: rng.standard_t(5, size) * 0.6**0.5),
    "correlated": (NORMAL, following(0.1)),
    "mirrored": (NORMAL, lambda rng, size: _mirrored(rng.normal(size=size))),
    "each drawn twice": (NORMAL, lambda rng, size: np.concatenate([rng.normal(size=size // 2)] * 2)),
    "rounded": (NORMAL, lambda rng, size: np.round(rng.normal(size=size), 2)),
    "uniform, one side only": (laws.uniform(-1, 1), lambda rng, size: rng.uniform(0, 1, size)),
    "uniform, 5 % too wide": (laws.uniform(-1, 1), lambda rng, size: rng.uniform(-1.05, 1.05, size)),
    "exponential, of another mean": (laws.exponential(2), lambda rng, size: rng.exponential(1.8, size)),
    "unfair coin": (laws.bernoulli(0.5), lambda rng, size: rng.uniform(size=size) < 0.54),
    "sticky coin": (laws.bernoulli(0.5), lambda rng, size: np.repeat(rng.integers(0, 2, size // 2), 2)),
    "die without a six": (laws.integers(1, 6), lambda rng, size: rng.integers(1, 6, size)),
    "die that counts from 0": (laws.integers(1, 6), lambda rng, size: rng.integers(0, 6, size)),
    "half of the spread": (laws.spread(0, 1), lambda rng, size: rng.normal(0, 0.5**0.5, size)),
}  # fmt: skip


@pytest.mark.parametrize("size", [1, 30, MANY])
@pytest.mark.parametrize("name", RIGHT)
def test_right_draws_pass_be_they_few_or_many(name: str, size: int):
    law, drawn = RIGHT[name]
    for seed in range(4):
        assert odd(drawn(np.random.default_rng(seed), size), law) is None


@pytest.mark.parametrize("name", WRONG)
def test_of_many_draws_each_fault_shows(name: str):
    law, drawn = WRONG[name]
    for seed in range(4):
        assert odd(drawn(np.random.default_rng(seed), MANY), law) is not None


def test_the_statistic_that_is_told_is_the_one_a_student_can_mend():
    rng = np.random.default_rng(3)
    assert odd(rng.normal(0.3, 1, MANY), NORMAL) == "mean"
    assert odd(rng.normal(0, 1.3, MANY), NORMAL) == "variance"
    assert odd(following(0.2)(rng, MANY), NORMAL) == "correlation of neighbours"
    assert odd(np.repeat(rng.normal(size=(100, 8)), 2, axis=1).ravel()[:30], NORMAL) is not None
    assert odd(np.tile(rng.normal(size=ROW // 4), 4), NORMAL) == f"correlation of draws {ROW // 4} apart"
    assert odd(_mirrored(rng.normal(size=MANY)), NORMAL) == f"correlation of draws {ROW // 2} apart"
    assert odd(rng.uniform(-1.1, 1, MANY), laws.uniform(-1, 1)) == "smallest draw"
    assert odd(rng.integers(0, 3, MANY), laws.bernoulli(0.5)) == "share of 0"
    assert str(odd(cut_off(3)(rng, MANY), NORMAL)).startswith("share of draws")


def test_the_library_s_own_draws_pass_with_their_few_bits():
    for seed in range(4):
        key = jax.random.key(seed)
        assert odd(np.asarray(jax.random.normal(key, (MANY,))), NORMAL) is None
        assert odd(np.asarray(jax.random.uniform(key, (MANY,))), laws.uniform()) is None
        walk = np.cumsum(np.asarray(jax.random.normal(key, (MANY // ROW, ROW))), axis=1, dtype=np.float32)
        assert odd(np.diff(walk, axis=1, prepend=0).ravel(), NORMAL) is None


def test_draws_of_16_bits_pass_though_few_are_different():
    half = np.asarray(jax.random.normal(jax.random.key(1), (MANY,), "bfloat16")).astype(float)
    assert odd(half, NORMAL, coarse=True) is None
    assert odd(1.3 * half, NORMAL, coarse=True) == "variance"


def test_no_draws_are_no_wrong_draws():
    assert sampling.oddity([], NORMAL) is None
    assert sampling.oddity([np.zeros(0)], NORMAL) is None


def test_one_set_of_draws_for_all_keys_is_told_from_draws_of_their_own():
    rng = np.random.default_rng(3)
    once = rng.normal(size=64)
    assert sampling.same_for_all([once, once.copy(), once.copy()], NORMAL)
    assert not sampling.same_for_all([once, once, rng.normal(size=64)], NORMAL)


def test_a_few_equal_coins_may_be_chance_and_many_are_not():
    coins = np.ones(4)
    assert not sampling.same_for_all([coins, coins], laws.bernoulli(0.5))
    assert sampling.same_for_all([coins] * 10, laws.bernoulli(0.5))


@pytest.mark.parametrize("samples", [[np.ones(3)], [np.zeros(0), np.zeros(0)], [np.ones(2), np.ones(3)]])
def test_one_case_no_draws_or_other_lengths_say_nothing_about_keys(samples: list[Array]):
    assert not sampling.same_for_all(samples, NORMAL)
