"""Upper bounds on how likely chance alone puts a statistic so far off, as logarithms.

All hold for every sample size, so the error rate that they keep is kept with few draws, too: the Chernoff
bounds of the normal, chi-squared, binomial and Poisson distributions and of products of neighbours
(Boucheron, Lugosi, Massart, *Concentration Inequalities*, 2013, chapter 2), and the bound of Dvoretzky,
Kiefer and Wolfowitz with Massart's constant (*The Annals of Probability* 18, 1990). Each counts both sides,
unless it says otherwise.
"""

from __future__ import annotations

import math

_LOG_2 = math.log(2)


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


def of_neighbours(mean_product: float, size: int, *, chains: int = 1) -> float:
    """The mean of `size` products of neighbours within `chains` rows of standard normal numbers.

    The sum over a row of n numbers is a quadratic form with the eigenvalues cos(pi k / (n + 1)). Its moment
    generating function at t is at most r(t) to the power -n/2, with r(t) = (1 + sqrt(1 - 4 t^2)) / 2. Every t
    between 0 and 1/2 gives a bound; this one is near the best.
    """
    t = min(abs(mean_product), 0.49)
    log_r = math.log((1 + math.sqrt(1 - 4 * t**2)) / 2)
    return _LOG_2 - size * t * abs(mean_product) - (size + chains) * log_r / 2


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
