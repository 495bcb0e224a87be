"""Decides from paired times whether a program is fast enough, or says that noise does not allow it.

Times on a shared machine are noisy and, as wall times, biased: two extra busy processes moved the median
ratio of a multi-threaded to a single-threaded program from 5.5 to 7.9, but the ratio of CPU times by at
most a tenth. So the samples are interleaved CPU times, the estimate is the median of the paired ratios,
and the bounds are order statistics: exact for any distribution, the same numbers for the same samples.
Within a tenth of the threshold no rule that was tried was stable; there the answer is *uncertain*. The dead
zone is wider than that tenth, so that what noise and load add to a ratio cannot carry it across.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from grader.domain.errors import EngineFault


class Pace(StrEnum):
    """The answer to "is it at least that many times faster?"."""

    FASTER = "faster"
    SLOWER = "slower"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True, kw_only=True)
class RaceRule:
    """When a race stops, and how sure it must be. Seconds are measured ones: CPU time, on a GPU wall time."""

    confidence: float = 0.995
    """One-sided, for each bound of the median ratio."""
    dead_zone: float = 0.15
    """Share of the threshold on either side of it within which no verdict is given."""
    pairs: int = 8
    """Pairs before the first decision, when they fit into `budget_s`."""
    most_pairs: int = 80
    budget_s: float = 1.0
    """Measured seconds after which a race ends undecided; `least_pairs` are run in any case."""
    least_pairs: int = 5
    clear_pairs: int = 3
    clear_factor: float = 2.0
    """Beyond the budget `clear_pairs` are enough if all lie this factor from the threshold, on one side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """`ratio` is the median of the rival's time by the submission's; `low` and `high` bound that median.

    An uncertain one `is_close` if both bounds lie in the dead zone: more samples would not help.
    """

    pace: Pace
    ratio: float
    low: float
    high: float
    pairs: int
    needed: float
    is_close: bool = False


def ratios(submission_s: Sequence[float], rival_s: Sequence[float]) -> npt.NDArray[np.float64]:
    """How many times longer the rival took, pair by pair; EngineFault if a time is not a positive number.

    >>> ratios([1.0, 2.0], [4.0, 4.0]).tolist()
    [4.0, 2.0]
    """
    mine, other = np.asarray(submission_s, np.float64), np.asarray(rival_s, np.float64)
    if mine.shape != other.shape or not np.all(
        (mine > 0) & (other > 0) & np.isfinite(mine) & np.isfinite(other)
    ):
        raise EngineFault("times of a race must be positive and come in pairs")
    paired: npt.NDArray[np.float64] = other / mine
    return paired


def median_bounds(values: Sequence[float] | npt.NDArray[Any], *, confidence: float) -> tuple[float, float]:
    """Lower and upper bound of the median, each holding with `confidence`; the extremes if there are too few.

    The median lies below the k-th smallest of n values with the chance that fewer than k of n fair coins fall
    heads, whatever the distribution.

    >>> median_bounds(range(1, 9), confidence=0.995)
    (1.0, 8.0)
    """
    ordered = np.sort(np.asarray(values, np.float64))
    count = len(ordered)
    rank, tail = 0, 0.5**count
    while tail <= 1 - confidence and rank < count // 2:
        rank += 1
        tail += math.comb(count, rank) * 0.5**count
    at = max(rank - 1, 0)
    return float(ordered[at]), float(ordered[count - 1 - at])


def decide(
    paired: Sequence[float] | npt.NDArray[Any], *, needed: float, rule: RaceRule | None = None
) -> Decision:
    """The verdict that all `paired` ratios together allow; EngineFault if there are none."""
    rule = rule or RaceRule()
    values = np.asarray(paired, np.float64)
    if not values.size:
        raise EngineFault("a race without pairs decides nothing")
    low, high = median_bounds(values, confidence=rule.confidence)
    below, above = needed * (1 - rule.dead_zone), needed * (1 + rule.dead_zone)
    pace = Pace.UNCERTAIN
    if low >= above:
        pace = Pace.FASTER
    elif high <= below:
        pace = Pace.SLOWER
    return Decision(
        pace=pace,
        ratio=float(np.median(values)),
        low=low,
        high=high,
        pairs=int(values.size),
        needed=needed,
        is_close=below < low and high < above,
    )


def is_over(
    paired: Sequence[float] | npt.NDArray[Any], *, spent_s: float, needed: float, rule: RaceRule
) -> bool:
    """Whether a race stops here: decided, known to be too close, or at the end of what it may use."""
    count = len(paired)
    if count >= rule.most_pairs:
        return True
    if spent_s >= rule.budget_s:
        return count >= rule.least_pairs or _is_clear(paired, needed=needed, rule=rule)
    if count < rule.pairs:
        return False
    found = decide(paired, needed=needed, rule=rule)
    return found.pace is not Pace.UNCERTAIN or found.is_close


def _is_clear(paired: Sequence[float] | npt.NDArray[Any], *, needed: float, rule: RaceRule) -> bool:
    """Whether a few slow pairs all lie far from the threshold, on one side of it."""
    if len(paired) < rule.clear_pairs:
        return False
    factor = rule.clear_factor
    return min(paired) >= needed * factor or max(paired) <= needed / factor
