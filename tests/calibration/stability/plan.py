"""How much is measured: every true ratio, on a quiet and on a loaded machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.calibration.stability.races import Cell
from tests.calibration.stability.regrades import SUBMISSIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One run. Races are counted per contest, true ratio and state of the machine."""

    contests: int
    outside: Sequence[float]
    """True ratios, in units of the threshold, at which a verdict must be given and right."""
    inside: Sequence[float]
    """True ratios within which silence is the right answer."""
    races: int
    races_inside: int
    regrades: int
    submissions: Sequence[str]

    def cells(self) -> Iterator[tuple[Cell, int]]:
        """Every cell of the table with its number of races; the quiet ones first."""
        for loaded in (False, True):
            for truth in sorted((*self.outside, *self.inside)):
                races = self.races if truth in self.outside else self.races_inside
                yield Cell(truth=truth, loaded=loaded), races


FULL = Plan(
    contests=3,
    outside=(0.5, 1.5, 2.0, 5.0),
    inside=(0.9, 1.0, 1.1),
    races=34,  # with three contests and two states of the machine 204 for each true ratio
    races_inside=34,
    regrades=20,
    submissions=SUBMISSIONS,
)
QUICK = Plan(
    contests=1,
    outside=(0.5, 2.0),
    inside=(1.0,),
    races=8,
    races_inside=3,
    regrades=2,
    submissions=(SUBMISSIONS[0], SUBMISSIONS[2]),
)
