"""Whether numbers are independent draws from a law: every statistic with a bound on what chance alone does.

Right draws are refused with a probability of at most `FALSE_ALARM`, all statistics of one judgement together
(a union bound over `rubrics.bounds`). What 20 000 normal draws show, by the same bounds and by
``tests/unit/rubrics/test_sampling.py``, with a probability above 0.99: a standard deviation 5 % off, a mean
off by 0.1, a correlation of 0.1, numbers cut off at 2.5 or at 3, a uniform, Laplace, logistic or t shape of
the right variance. A standard deviation 2 % off, a cut at 3.5 and a sum of twelve uniform numbers are not.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from rubrics import bounds, correlations
from rubrics.laws import Continuous, Discrete, Law, Spread

Floats = npt.NDArray[np.float64]

FALSE_ALARM = 1e-7
"""Probability with which right draws may be refused."""

_TAILS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0)
"""Where tails begin, in standard deviations of the normal distribution."""
_STATISTICS = 2 * len(_TAILS) + 6
"""How many statistics are looked at, at most; of a discrete law, one for each number besides."""
_MOST = 5.5
"""The farthest score of a number: JAX's uniform numbers are multiples of 2^-23."""
_COINCIDENCE = 2.0**-17
"""How likely two float32 draws are equal, at most: also of sums that lost some of their bits."""
_ROUNDING = 1e-5
"""How far beyond its ends rounding may take a number, in standard deviations."""

STANDARD = NormalDist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """A statistic that chance alone does not explain."""

    statistic: str
    found: str
    expected: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Statistic:
    name: str
    found: str
    expected: str
    log_chance: float


def oddity(samples: Sequence[npt.NDArray[Any]], law: Law, *, coarse: bool = False) -> Oddity | None:
    """The first statistic of all samples together that is off; None if all may be chance.

    Draws within one sample must be independent, too, however far apart. Of `coarse` numbers, which have 16
    bits, few are different, and only mean, variance and independence are judged.
    """
    parts = [np.asarray(sample, np.float64).ravel() for sample in samples]
    flat = np.concatenate(parts) if parts else np.zeros(0)
    if not flat.size:
        return None
    if coarse and isinstance(law, Continuous):
        law = Spread(mean=law.mean, std=law.std)
    statistics: Iterator[_Statistic]
    match law:
        case Continuous():
            statistics, looked_at = _continuous(parts, flat, law), _STATISTICS
        case Discrete():
            statistics, looked_at = _discrete(parts, flat, law), _STATISTICS + len(law.shares)
        case Spread():
            statistics, looked_at = _spread(parts, flat, law, coarse=coarse), _STATISTICS
    least = math.log(FALSE_ALARM / looked_at)
    for each in statistics:
        if not each.log_chance > least:
            return Oddity(statistic=each.name, found=each.found, expected=each.expected)
    return None


def same_for_all(samples: Sequence[npt.NDArray[Any]], law: Law) -> bool:
    """Whether all samples are equal, and would hardly be by chance."""
    if len(samples) < 2:  # noqa: PLR2004 - two can differ
        return False
    first = samples[0]
    if not first.size or not all(np.array_equal(first, each) for each in samples[1:]):
        return False
    return (len(samples) - 1) * first.size * math.log(coincidence(law)) < math.log(FALSE_ALARM)


def coincidence(law: Law) -> float:
    """How likely two draws are equal."""
    return sum(share**2 for share in law.shares.values()) if isinstance(law, Discrete) else _COINCIDENCE


def _continuous(parts: Sequence[Floats], flat: Floats, law: Continuous) -> Iterator[_Statistic]:
    yield from _within_ends(flat, law)
    ranks = np.array([law.cdf(value) for value in flat.tolist()])
    end = STANDARD.cdf(-_MOST)
    scores = np.array([STANDARD.inv_cdf(rank) for rank in np.clip(ranks, end, 1 - end).tolist()])
    size = scores.size
    square = bounds.of_mean_square(float((scores**2).mean()), size)
    yield from _moments(flat, scores, law, log_chance_of_variance=square)
    yield from _apart(np.split(scores, np.cumsum([part.size for part in parts])[:-1]))
    yield from _tails(scores)
    yield _largest_distance(flat, ranks)
    yield _repeats(flat)


def _within_ends(flat: Floats, law: Continuous) -> Iterator[_Statistic]:
    room = _ROUNDING * law.std
    for name, found, end, beyond in (
        ("smallest draw", flat.min(), f"at least {law.low:.4g}", flat.min() < law.low - room),
        ("largest draw", flat.max(), f"at most {law.high:.4g}", flat.max() > law.high + room),
    ):
        yield _Statistic(
            name=name, found=f"{found:.4g}", expected=end, log_chance=-math.inf if beyond else 0.0
        )


def _tails(scores: Floats) -> Iterator[_Statistic]:
    """Shares of draws in either tail."""
    size = scores.size
    for start in _TAILS:
        share = STANDARD.cdf(-start)
        for sign, side, below in ((-1, "below", share), (1, "above", 1 - share)):
            count = int((sign * scores > start).sum())
            yield _Statistic(
                name=f"share of draws {side} the {100 * below:.4g} % quantile",
                found=f"{count / size:.3g}",
                expected=f"{share:.3g}",
                log_chance=bounds.of_count(count, size, share),
            )


def _largest_distance(flat: Floats, ranks: Floats) -> _Statistic:
    """The Kolmogorov-Smirnov distance, told as the share of draws below the number where it is."""
    order = np.argsort(ranks)
    steps = np.arange(1, ranks.size + 1) / ranks.size
    above, below = steps - ranks[order], ranks[order] - (steps - 1 / ranks.size)
    at = int(np.argmax(np.maximum(above, below)))
    return _Statistic(
        name=f"share of draws up to {flat[order[at]]:.3g}",
        found=f"{steps[at]:.3g}",
        expected=f"{ranks[order[at]]:.3g}",
        log_chance=bounds.of_distance(float(max(above[at], below[at])), ranks.size),
    )


def _apart(parts: Sequence[Floats]) -> Iterator[_Statistic]:
    """The correlation of draws that stand one, two, three … places apart in their samples."""
    for apart, mean, chance in correlations.telling(parts):
        name = "correlation of neighbours" if apart == 1 else f"correlation of draws {apart} apart"
        yield _Statistic(name=name, found=f"{mean:.3g}", expected="0", log_chance=chance)


def _repeats(flat: Floats) -> _Statistic:
    count = flat.size - np.unique(flat).size
    pairs = flat.size * (flat.size - 1) / 2
    return _Statistic(
        name="number of repeated draws",
        found=f"{count}",
        expected="0",
        log_chance=bounds.of_rare(count, pairs * _COINCIDENCE),
    )


def _moments(
    flat: Floats, scores: Floats, law: Continuous | Spread, *, log_chance_of_variance: float
) -> Iterator[_Statistic]:
    yield _Statistic(
        name="mean",
        found=f"{flat.mean():.3g}",
        expected=f"{law.mean:.3g}",
        log_chance=bounds.of_mean(float(scores.mean()), scores.size),
    )
    yield _Statistic(
        name="variance",
        found=f"{flat.var():.3g}",
        expected=f"{law.std**2:.3g}",
        log_chance=log_chance_of_variance,
    )


def _spread(parts: Sequence[Floats], flat: Floats, law: Spread, *, coarse: bool) -> Iterator[_Statistic]:
    """Of a shape that is not known: the normal approximation, with the variance's own spread as measured."""
    scores = (flat - law.mean) / law.std
    size = scores.size
    fourth = max(float((scores**4).mean()), 3.0)
    square = bounds.of_mean((float((scores**2).mean()) - 1) / math.sqrt(fourth - 1), size)
    yield from _moments(flat, scores, law, log_chance_of_variance=square)
    yield from _apart(np.split(scores, np.cumsum([part.size for part in parts])[:-1]))
    if not coarse:
        yield _repeats(flat)


def _discrete(parts: Sequence[Floats], flat: Floats, law: Discrete) -> Iterator[_Statistic]:
    size = flat.size
    for value, share in law.shares.items():
        count = int((flat == value).sum())
        yield _Statistic(
            name=f"share of {value:g}",
            found=f"{count / size:.3g}",
            expected=f"{share:.3g}",
            log_chance=bounds.of_count(count, size, share),
        )
    others = flat[~np.isin(flat, list(law.shares))]
    yield _Statistic(
        name="share of other numbers",
        found=f"{others.size / size:.3g}",
        expected="0",
        log_chance=-math.inf if others.size else 0.0,
    )
    pairs = [part[: part.size // 2 * 2].reshape(-1, 2) for part in parts]
    equal = np.concatenate([pair[:, 0] == pair[:, 1] for pair in pairs])
    share = coincidence(law)
    yield _Statistic(
        name="share of equal neighbours",
        found=f"{equal.mean() if equal.size else 0:.3g}",
        expected=f"{share:.3g}",
        log_chance=bounds.of_count(int(equal.sum()), equal.size, share),
    )
