"""Upper bounds on how likely chance alone puts a statistic so far off, as logarithms.

All hold for every sample size, so the error rate that they keep is kept with few draws, too: the Chernoff
bounds of the normal, chi-squared, binomial and Poisson distributions and of products of neighbours
(Boucheron, Lugosi, Massart, *Concentration Inequalities*, 2013, chapter 2), and the bound of Dvoretzky,
Kiefer and Wolfowitz with Massart's constant (*The Annals of Probability* 18, 1990). Each counts both sides,
unless it says otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

_LOG_2 = math.log(2)
_SHARES = (1.0, 0.8, 0.6, 0.4, 0.2)
"""Values of t that are tried for products of neighbours, as shares of what was found."""
_LONG, _SMALL = 50, 0.01
"""From this length on, or up to this t, D(n) is bounded from below by its larger root to the power n."""


def of_mean(mean: float, size: int) -> float:
    """The mean of `size` standard normal numbers.

    >>> round(math.exp(of_mean(1.0, 9)), 4)
    0.0222
    """
    return _LOG_2 - size * mean**2 / 2


def of_mean_square(mean_square: float, size: int) -> float:
    """The mean of the squares of `size` standard normal numbers: chi-squared over its degrees of freedom.

    >>> of_mean_square(0.9025, 20_000) < math.log(1e-20)  # a standard deviation 5 % too small
    True
    """
    if mean_square <= 0:
        return -math.inf if size else 0.0
    return _LOG_2 - size * (mean_square - 1 - math.log(mean_square)) / 2


def of_neighbours(mean_product: float, chains: Mapping[int, int]) -> float:
    """The mean of all products of neighbours within chains of standard normal numbers.

    `chains` says how many there are of each length. The sum over a chain of n numbers is a quadratic form,
    whose moment generating function at t is D(n) to the power -1/2, with D(0) = D(1) = 1 and
    D(n) = D(n - 1) - t^2 D(n - 2), while all D are positive. Every such t gives a bound; the best of a few is
    taken.

    >>> of_neighbours(-1.0, {2: 200}) < math.log(1e-30)  # 200 pairs of a number and its negative
    True
    """
    size = sum((length - 1) * count for length, count in chains.items() if length > 1)
    found = abs(mean_product)
    return _LOG_2 + min(
        sum(-count * _log_determinant(length, share * found) / 2 for length, count in chains.items() if count)
        - share * found * found * size
        for share in _SHARES
    )


def _log_determinant(length: int, t: float) -> float:
    """Logarithm of D(length), or something below it; -inf where some D is not positive."""
    if length > _LONG or t < _SMALL:
        return length * math.log((1 + math.sqrt(1 - 4 * t**2)) / 2) if 2 * t < 1 else -math.inf
    before, now = 1.0, 1.0
    for _ in range(length - 1):
        before, now = now, now - t**2 * before
        if now <= 0:
            return -math.inf
    return math.log(now)


def of_count(count: int, size: int, share: float) -> float:
    """`count` of `size` independent events of probability `share`; the binomial distribution.

    >>> of_count(0, 2000, 0.0124) < math.log(1e-10)  # of 2000 normal numbers none beyond 2.5
    True
    """
    if not size:
        return 0.0
    if share <= 0 or share >= 1:
        return 0.0 if count == size * share else -math.inf
    found = count / size
    inside = found * math.log(found / share) if found else 0.0
    outside = (1 - found) * math.log((1 - found) / (1 - share)) if found < 1 else 0.0
    return _LOG_2 - size * (inside + outside)


def of_rare(count: int, expected: float) -> float:
    """At least `count` events where at most `expected` are to be; the Poisson distribution, one side."""
    if count <= expected:
        return 0.0
    return -math.inf if expected <= 0 else -(count * math.log(count / expected) - count + expected)


def of_distance(distance: float, size: int) -> float:
    """A largest `distance` between an empirical distribution function and the true one, of `size` numbers."""
    return _LOG_2 - 2 * size * distance**2
