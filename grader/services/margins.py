"""How far the thresholds of an assignment's speed checks lie from what noise can reach.

Near a threshold no measurement is stable: there the same program would get its points on one day and not on
another. So a threshold needs room on both sides, and the room is measured, on the machine that is asked:
what is as slow as the baseline must reach at most half of it, and the solution at least twice.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from grader.domain.results import AttemptResult, Evidence, EvidenceKind, JsonValue
from grader.engine.statistics import RaceRule, median_bounds, ratios

ROOM = 2.0
"""The factor by which a threshold keeps away from the baseline below it and from the solution above it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedMargin:
    """One threshold, and the solution's measured speed. All speeds are in times the baseline's."""

    check_id: str
    needed: float
    ratio: float
    """Median over the races of all repeats; `low` and `high` bound it."""
    low: float
    high: float
    pairs: int

    @property
    def is_above_the_baseline(self) -> bool:
        """Whether the baseline, at a speed of 1 by definition, reaches at most half of what is asked for."""
        return self.needed >= ROOM

    @property
    def is_below_the_solution(self) -> bool:
        """Whether the solution reaches twice what is asked for, by the lower bound of what was measured."""
        return self.low >= ROOM * self.needed

    @property
    def holds(self) -> bool:
        return self.is_above_the_baseline and self.is_below_the_solution

    @property
    def highest(self) -> float | None:
        """The highest threshold with room, in two figures; None if there is none at all."""
        allowed = self.low / ROOM
        if allowed < ROOM:
            return None
        unit = 10.0 ** (math.floor(math.log10(allowed)) - 1)
        return max(ROOM, round(math.floor(allowed / unit + 1e-9) * unit, 6))

    @property
    def advice(self) -> str:
        """What is wrong and what to set; empty if nothing is."""
        if self.holds:
            return ""
        measured = (
            f"the solution measures {self.ratio:.3g} times (between {self.low:.3g} and {self.high:.3g})"
        )
        return f"asks for at least {self.needed:g} times the baseline's speed; {measured}, {self._remedy()}"

    def _remedy(self) -> str:
        if self.highest is None:
            return (
                f"which leaves no threshold with room, since it must lie a factor of {ROOM:g} above the "
                "baseline and below the solution; slow the baseline down, or draw larger inputs"
            )
        if not self.is_above_the_baseline:
            return (
                f"and the baseline itself 1, too near for a verdict that noise cannot turn; set at_least to "
                f"{ROOM:g} or more, {self.highest:g} at most"
            )
        return (
            f"less than {ROOM:g} times what is asked for, and noise could turn a verdict; set at_least to "
            f"{self.highest:g} or less, or slow the baseline down"
        )


def speed_margins(results: Sequence[AttemptResult]) -> tuple[SpeedMargin, ...]:
    """The margin of every race in a check, over all `results` of the solution together, check by check.

    A check whose races ended without a measurement has none: it failed, and is told as a failure.
    """
    races: dict[tuple[str, int], list[Mapping[str, JsonValue]]] = {}
    for result in results:
        for check in result.results:
            for position, data in enumerate(_timings(check.evidence)):
                races.setdefault((check.spec.id, position), []).append(data)
    return tuple(_margin(check_id, found) for (check_id, _), found in sorted(races.items()))


def _timings(evidence: Sequence[Evidence]) -> Iterator[Mapping[str, JsonValue]]:
    return (item.data for item in evidence if item.kind is EvidenceKind.TIMING)


def _margin(check_id: str, races: Sequence[Mapping[str, JsonValue]]) -> SpeedMargin:
    paired = np.concatenate([ratios(_seconds(race, "student"), _seconds(race, "baseline")) for race in races])
    low, high = median_bounds(paired, confidence=RaceRule().confidence)
    return SpeedMargin(
        check_id=check_id,
        needed=max(_number(race["needed"]) for race in races),
        ratio=float(np.median(paired)),
        low=low,
        high=high,
        pairs=paired.size,
    )


def _seconds(race: Mapping[str, JsonValue], lane: str) -> list[float]:
    samples = race[lane]
    if not isinstance(samples, list):
        raise TypeError(f"{lane} holds no samples")
    return [_number(sample) for sample in samples]


def _number(value: JsonValue) -> float:
    if not isinstance(value, int | float):
        raise TypeError(f"{value!r} is no number")
    return float(value)
