"""Distributions that draws may have to follow, such as ``laws.normal(0, 1)`` or ``laws.bernoulli(0.3)``."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import NormalDist


@dataclass(frozen=True, slots=True, kw_only=True)
class Continuous:
    """A distribution without atoms, known by its distribution function."""

    cdf: Callable[[float], float]
    mean: float
    std: float
    low: float = -math.inf
    high: float = math.inf


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrete:
    """A distribution on a few numbers, each with its probability."""

    shares: Mapping[float, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """Any distribution of this mean and standard deviation."""

    mean: float
    std: float


Law = Continuous | Discrete | Spread


def normal(mean: float = 0.0, std: float = 1.0) -> Continuous:
    """The normal distribution."""
    return Continuous(cdf=NormalDist(mean, std).cdf, mean=mean, std=std)


def uniform(low: float = 0.0, high: float = 1.0) -> Continuous:
    """The uniform distribution between `low` and `high`."""
    width = high - low
    return Continuous(
        cdf=lambda x: min(max((x - low) / width, 0.0), 1.0),
        mean=(low + high) / 2,
        std=width / math.sqrt(12),
        low=low,
        high=high,
    )


def exponential(mean: float = 1.0) -> Continuous:
    """The exponential distribution, by its mean."""
    return Continuous(cdf=lambda x: -math.expm1(-max(x, 0.0) / mean), mean=mean, std=mean, low=0.0)


def continuous(
    cdf: Callable[[float], float],
    *,
    mean: float,
    std: float,
    low: float = -math.inf,
    high: float = math.inf,
) -> Continuous:
    """Another distribution without atoms, by its distribution function. Mean and spread serve the words."""
    return Continuous(cdf=cdf, mean=mean, std=std, low=low, high=high)


def bernoulli(probability: float) -> Discrete:
    """1 with this probability, else 0."""
    return Discrete(shares={0.0: 1 - probability, 1.0: probability})


def integers(low: int, high: int) -> Discrete:
    """Every whole number from `low` to `high`, both included, as often as each other."""
    count = high - low + 1
    return Discrete(shares={float(value): 1 / count for value in range(low, high + 1)})


def categorical(probabilities: Sequence[float]) -> Discrete:
    """0, 1, 2, … with these probabilities."""
    return Discrete(shares={float(value): share for value, share in enumerate(probabilities)})


def spread(mean: float, std: float) -> Spread:
    """Any distribution of this mean and standard deviation."""
    return Spread(mean=mean, std=std)
