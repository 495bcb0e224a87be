from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from grader.domain.moments import duration_words, moment_text

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    "hour, shown", [(0, "Sun 25 Oct 2026, 02:30 CEST"), (1, "Sun 25 Oct 2026, 02:30 CET")]
)
def test_the_hour_that_comes_twice_is_told_apart_by_its_zone(hour: int, shown: str):
    assert moment_text(datetime(2026, 10, 25, hour, 30, tzinfo=UTC), ZURICH) == shown


@pytest.mark.parametrize(
    "duration, words",
    [
        (timedelta(0), "0 seconds"),
        (timedelta(seconds=-5), "0 seconds"),
        (timedelta(seconds=1), "1 second"),
        (timedelta(seconds=59.5), "1 minute"),
        (timedelta(days=2, minutes=3), "2 days"),
        (timedelta(days=1, hours=3, minutes=3), "1 day 3 hours"),
    ],
)
def test_a_duration_is_told_in_its_two_largest_units(duration: timedelta, words: str):
    assert duration_words(duration) == words
