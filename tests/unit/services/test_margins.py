"""The room of a speed threshold: measured over all races of the solution, and told with what to set."""

from __future__ import annotations

import pytest

from grader.domain.results import Evidence, EvidenceKind
from grader.services.margins import SpeedMargin, speed_margins
from tests.builders import a_check, an_attempt


def margin(needed: float, *, low: float, high: float | None = None) -> SpeedMargin:
    high = low * 1.1 if high is None else high
    return SpeedMargin(
        check_id="f.jit.fast", needed=needed, ratio=(low + high) / 2, low=low, high=high, pairs=24
    )


def race(speeds: list[float], *, needed: float = 10) -> Evidence:
    data = {"student": [0.5 for _ in speeds], "baseline": [0.5 * speed for speed in speeds], "needed": needed}
    return Evidence(kind=EvidenceKind.TIMING, data=data)


@pytest.mark.parametrize("needed, low", [(10, 20), (10, 400), (2, 4)])
def test_a_threshold_with_twice_the_room_on_both_sides_holds(needed: float, low: float):
    assert margin(needed, low=low).holds
    assert margin(needed, low=low).advice == ""


def test_a_solution_that_is_less_than_twice_as_fast_is_told_with_what_to_set():
    found = margin(10, low=15.9, high=17)
    assert not found.holds
    assert found.advice == (
        "asks for at least 10 times the baseline's speed; the solution measures 16.4 times (between 15.9 and "
        "17), less than 2 times what is asked for, and noise could turn a verdict; set at_least to 7.9 or "
        "less, or slow the baseline down"
    )


def test_the_lower_bound_counts_and_not_the_ratio():
    assert not margin(10, low=19, high=80).holds


def test_a_threshold_near_the_baselines_own_speed_is_told_with_what_to_set():
    found = margin(1.5, low=30)
    assert not found.holds
    assert "the baseline itself 1" in found.advice
    assert "set at_least to 2 or more, 15 at most" in found.advice


def test_where_no_threshold_has_room_the_baseline_has_to_change():
    found = margin(2, low=3.9)
    assert found.highest is None
    assert "no threshold with room" in found.advice
    assert "slow the baseline down" in found.advice


@pytest.mark.parametrize(
    "low, highest", [(4, 2), (15.9, 7.9), (59, 29), (200, 100), (2345, 1100), (3.99, None), (4.2, 2.1)]
)
def test_the_highest_threshold_with_room_is_told_in_two_figures(low: float, highest: float | None):
    found = margin(10, low=low).highest
    assert found == highest
    assert found is None or margin(found, low=low).holds


def test_all_races_of_the_solution_are_taken_together():
    results = [an_attempt(a_check(evidence=(race([20.0, 21.0, 22.0]),))) for _ in range(3)]
    (found,) = speed_margins(results)
    assert (found.pairs, found.ratio, found.needed) == (9, 21, 10)
    assert (found.low, found.high) == (20, 22)


def test_each_race_of_a_check_has_its_own_margin():
    result = an_attempt(a_check(evidence=(race([50.0]), race([9.0], needed=2))))
    assert [found.needed for found in speed_margins([result])] == [10, 2]


def test_checks_without_a_race_have_no_margin():
    assert speed_margins([an_attempt(a_check())]) == ()
