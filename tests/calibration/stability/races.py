"""Speed verdicts at thresholds that lie a known factor from the true ratio, by the path of a real check.

The long-run ratio of a contest is measured within the run, over far more pairs than a verdict takes, on the
machine as it is. A threshold of that ratio by r makes the submission r times as fast as is asked for.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from grader.engine.bench import client
from grader.engine.bench.raceresult import RIVAL, SUBMISSION, RaceResult
from grader.engine.examiner.host import Host
from grader.engine.statistics import Pace, RaceRule, ratios
from rubrics.checks.speed import REFERENCE, settled
from tests.calibration.stability.contests import Contest
from tests.calibration.stability.load import busy

INSIDE = 0.10
"""Share of the threshold within which nothing is promised but silence."""
LONG_RUN = RaceRule(dead_zone=1e9, budget_s=60.0)
"""A race that goes on to its last pair whatever it finds."""
LONG_RUN_RACES = 5
RACE_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One line of the table: a true ratio, in units of the threshold, on a quiet or a loaded machine."""

    truth: float
    loaded: bool

    @property
    def right(self) -> Pace:
        return Pace.FASTER if self.truth >= 1 else Pace.SLOWER

    @property
    def inside(self) -> bool:
        """Whether the threshold is too near for a verdict."""
        return abs(self.truth - 1) <= INSIDE + 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdicts:
    """What one cell's races came to."""

    cell: Cell
    paces: Sequence[Pace]
    seconds: Sequence[float]
    measured_again: int

    def count(self, pace: Pace) -> int:
        return sum(found is pace for found in self.paces)

    @property
    def right(self) -> int:
        return self.count(self.cell.right)

    @property
    def silent(self) -> int:
        return self.count(Pace.UNCERTAIN)

    @property
    def wrong(self) -> int:
        return len(self.paces) - self.right - self.silent

    @property
    def faults(self) -> int:
        """Verdicts that give a wrong score: wrong ones, and the points that silence gives a slow program."""
        gifts = 0 if self.cell.inside or self.cell.right is Pace.FASTER else self.silent
        return self.wrong + gifts

    @property
    def median_s(self) -> float:
        return statistics.median(self.seconds)


@dataclass(slots=True, kw_only=True)
class _Counted:
    """A race that counts how often it is run."""

    run: Callable[[], RaceResult]
    times: int = 0

    def __call__(self, *, alone: bool) -> RaceResult:
        del alone  # nothing else of ours races meanwhile; what else runs here is the point
        self.times += 1
        return self.run()


class Track:
    """A sealed bench and one contest on it."""

    def __init__(self, host: Host, contest: Contest) -> None:
        self._host, self._contest = host, contest

    def long_run(self, races: int = LONG_RUN_RACES) -> float:
        """The median ratio over all pairs of several full races."""
        results = [self._race(1.0, LONG_RUN) for _ in range(races)]
        return float(np.median(np.concatenate([_paired(result) for result in results])))

    def verdicts(self, cell: Cell, *, long_run: float, races: int) -> Verdicts:
        """So many verdicts, each with its second measurement where the first allows none."""
        at_least, again = long_run / cell.truth, 0
        paces: list[Pace] = []
        seconds: list[float] = []
        with busy() if cell.loaded else nullcontext():
            for _ in range(races):
                race = _Counted(run=lambda: self._race(at_least, None))
                began = time.monotonic()
                _, decision = settled(race, at_least=at_least)
                seconds.append(time.monotonic() - began)
                paces.append(decision.pace)
                again += race.times > 1
        return Verdicts(cell=cell, paces=paces, seconds=seconds, measured_again=again)

    def _race(self, at_least: float, rule: RaceRule | None) -> RaceResult:
        contest, bench = self._contest, self._host.bench()
        lanes = {SUBMISSION: contest.quick, RIVAL: contest.slow, REFERENCE: contest.quick}
        with bench.deadline(RACE_LIMIT_S):
            return client.race(bench.channel, lanes, contest.sets, at_least=at_least, rule=rule)


def _paired(result: RaceResult) -> np.ndarray:
    submission, rival = (result.lanes[lane].seconds(result.basis) for lane in (SUBMISSION, RIVAL))
    return ratios(submission, rival)
