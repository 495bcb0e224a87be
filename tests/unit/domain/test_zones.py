from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.domain.errors import InvalidInput
from grader.domain.zones import local_text, typed_time, zone_named, zone_names

ZURICH = ZoneInfo("Europe/Zurich")


@pytest.mark.parametrize(
    "text, moment",
    [
        ("2026-07-01T12:00", "2026-07-01T10:00:00+00:00"),
        ("2026-07-01 12:00:30", "2026-07-01T10:00:30+00:00"),
        ("2026-01-01T12:00", "2026-01-01T11:00:00+00:00"),
        ("2026-07-01T12:00Z", "2026-07-01T12:00:00+00:00"),
        ("2026-07-01T12:00-05:00", "2026-07-01T17:00:00+00:00"),
        ("2026-03-29T02:30", "2026-03-29T01:30:00+00:00"),
        ("2026-10-25T02:30", "2026-10-25T01:30:00+00:00"),
    ],
)
def test_a_time_is_read_on_the_clock_of_the_place_unless_it_names_its_offset(text: str, moment: str) -> None:
    found = typed_time(text, zone=ZURICH, field="due")
    assert found is not None
    assert found.moment.isoformat() == moment


def test_what_a_clock_skips_or_repeats_is_told() -> None:
    skipped = typed_time("2026-03-29T02:30", zone=ZURICH, field="due")
    twice = typed_time("2026-10-25T02:30", zone=ZURICH, field="due")
    assert skipped is not None
    assert twice is not None
    assert skipped.note == (
        "02:30 on 2026-03-29 does not exist in Europe/Zurich, since clocks are put forward then. "
        "It was read as 03:30 CEST."
    )
    assert twice.note is not None
    assert "comes twice" in twice.note
    assert "(02:30 CET)" in twice.note


@pytest.mark.parametrize("text", ["soon", "2026-13-01T00:00", "2026-02-30T00:00", "0001-01-01T00:00", "99"])
def test_what_is_no_time_names_its_field(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        typed_time(text, zone=ZURICH, field="due")
    assert caught.value.field == "due"


def test_an_empty_field_is_no_time() -> None:
    assert typed_time("  ", zone=ZURICH, field="due") is None


@pytest.mark.parametrize("name", ["Mars/Olympus", "", "../../etc/passwd", "/etc/passwd", "Europe/Zürich\0"])
def test_a_zone_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="time zone"):
        zone_named(name)


@given(st.datetimes(datetime(2000, 1, 1), datetime(2040, 1, 1)))  # noqa: DTZ001 - made aware below
def test_a_moment_shown_in_a_field_is_read_back_never_earlier(moment: datetime) -> None:
    exact = moment.replace(microsecond=0, tzinfo=UTC)
    found = typed_time(local_text(exact, ZURICH), zone=ZURICH, field="due")
    assert found is not None
    assert found.moment >= exact
    assert found.moment == exact or found.note is not None


def test_the_zones_to_choose_from_are_places_and_utc() -> None:
    names = zone_names()
    assert {"UTC", "Europe/Zurich"} <= set(names)
    assert not {"Factory", "localtime"} & set(names)
