"""A small part of the stability run, for real; `make stability` is all of it."""

from __future__ import annotations

import pytest

from grader.engine.examiner.host import Host
from grader.engine.statistics import Pace
from tests.calibration.stability.contests import contests
from tests.calibration.stability.plan import FULL, QUICK
from tests.calibration.stability.races import Cell, Track, Verdicts
from tests.calibration.stability.regrades import regrade


@pytest.fixture(scope="module")
def verdicts() -> list[Verdicts]:
    host = Host(sealed=None)
    try:
        track = Track(host, contests()[0])
        long_run = track.long_run(races=3)
        return [track.verdicts(cell, long_run=long_run, races=races) for cell, races in QUICK.cells()]
    finally:
        host.close()


@pytest.mark.slow
def test_speed_verdicts_are_right_or_silent_beside_busy_loops_as_well(verdicts: list[Verdicts]) -> None:
    assert {found.cell: found.wrong for found in verdicts if found.wrong} == {}


@pytest.mark.slow
def test_twice_off_the_threshold_every_race_gets_a_verdict(verdicts: list[Verdicts]) -> None:
    outside = [found for found in verdicts if not found.cell.inside]
    assert {found.cell: found.silent for found in outside if found.silent} == {}


@pytest.mark.slow
def test_at_the_threshold_no_race_gets_one(verdicts: list[Verdicts]) -> None:
    assert all(found.silent == len(found.paces) for found in verdicts if found.cell.inside)


@pytest.mark.slow
def test_a_submission_graded_again_with_other_inputs_gets_the_same_verdicts() -> None:
    for found in regrade(times=QUICK.regrades, submissions=QUICK.submissions):
        assert found.stable, (found.path, found.wavering)


def test_the_full_run_is_what_was_promised() -> None:
    races = {True: 0, False: 0}
    for cell, count in FULL.cells():
        if cell.truth in FULL.outside:
            races[cell.loaded] += count * FULL.contests
    assert races[True] == races[False] >= 100 * len(FULL.outside)
    assert FULL.regrades * len(FULL.submissions) == 100


def made_of(truth: float, *paces: Pace) -> Verdicts:
    return Verdicts(cell=Cell(truth=truth, loaded=False), paces=paces, seconds=[0.1], measured_again=0)


@pytest.mark.parametrize(
    "found, wrong, faults",
    [
        pytest.param(made_of(2, Pace.FASTER, Pace.FASTER), 0, 0, id="right"),
        pytest.param(made_of(2, Pace.SLOWER, Pace.FASTER), 1, 1, id="points taken from a quick program"),
        pytest.param(made_of(2, Pace.UNCERTAIN), 0, 0, id="silence leaves a quick program its points"),
        pytest.param(made_of(0.5, Pace.FASTER), 1, 1, id="points given to a slow program"),
        pytest.param(made_of(0.5, Pace.UNCERTAIN), 0, 1, id="silence gives a slow program points"),
        pytest.param(made_of(0.9, Pace.UNCERTAIN), 0, 0, id="silence near the threshold"),
        pytest.param(made_of(1.1, Pace.SLOWER), 1, 1, id="wrong near the threshold"),
    ],
)
def test_a_fault_is_whatever_gives_a_wrong_score(found: Verdicts, wrong: int, faults: int) -> None:
    assert (found.wrong, found.faults) == (wrong, faults)
