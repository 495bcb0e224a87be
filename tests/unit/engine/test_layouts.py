"""Where an array lies is compared with where it should, and put into words."""

from __future__ import annotations

import pytest

from grader.engine.layouts import WHOLE, Layout, LayoutKind, Placement, as_json, read_layouts

SPLIT, LAST = Layout(kind=LayoutKind.SPLIT), Layout(kind=LayoutKind.SPLIT, number=-1)
ON_ONE = Layout(kind=LayoutKind.ON, number=1)
FOUR = (0, 1, 2, 3)
SHAPE = (8, 4)


@pytest.mark.parametrize(
    "layout, place, fits",
    [
        (SPLIT, Placement(devices=FOUR, shard=(2, 4)), True),
        (SPLIT, Placement(devices=FOUR, shard=(8, 1)), False),
        (SPLIT, Placement(devices=FOUR, shard=SHAPE), False),
        (SPLIT, Placement(devices=(0, 1), shard=(4, 4)), False),
        (LAST, Placement(devices=FOUR, shard=(8, 1)), True),
        (WHOLE, Placement(devices=FOUR, shard=SHAPE), True),
        (WHOLE, Placement(devices=(0,), shard=SHAPE), False),
        (ON_ONE, Placement(devices=(1,), shard=SHAPE), True),
        (ON_ONE, Placement(devices=(0,), shard=SHAPE), False),
        (ON_ONE, Placement(devices=(0, 1), shard=SHAPE), False),
    ],
)
def test_a_place_fits_a_layout_or_does_not(layout: Layout, place: Placement, *, fits: bool):
    assert place.fits(layout, SHAPE, devices=4) is fits


@pytest.mark.parametrize("shape", [(), (6, 4), (8,)])
def test_what_cannot_be_split_so_never_fits(shape: tuple[int, ...]):
    axis = Layout(kind=LayoutKind.SPLIT, number=0 if shape != (8,) else 1)
    assert not Placement(devices=FOUR, shard=shape).fits(axis, shape, devices=4)


@pytest.mark.parametrize(
    "place, words",
    [
        (Placement(devices=(2,), shard=SHAPE), "on device 2 alone"),
        (Placement(devices=FOUR, shard=SHAPE), "whole on 4 devices"),
        (Placement(devices=FOUR, shard=(2, 4)), "split over 4 devices along axis 0"),
        (Placement(devices=FOUR, shard=(4, 2)), "split over 4 devices along axis 0 and 1"),
    ],
)
def test_a_place_is_put_into_words(place: Placement, words: str):
    assert place.told(SHAPE) == words


def test_layouts_are_put_into_words():
    assert [str(layout) for layout in (SPLIT, WHOLE, ON_ONE)] == [
        "split over the devices along axis 0",
        "whole on every device",
        "on device 1 alone",
    ]


def test_layouts_and_places_survive_their_journey():
    assert read_layouts(as_json([SPLIT, None, ON_ONE])) == [SPLIT, None, ON_ONE]
    place = Placement(devices=FOUR, shard=(2, 4), committed=False)
    assert Placement.read(place.to_json()) == place


@pytest.mark.parametrize(
    "forged", [[[-1], [2], True], [["0"], [2], True], [0, [2], True], [[0], [1.5], True], [[0], [2]], None]
)
def test_a_forged_place_is_no_place(forged: object):
    with pytest.raises((TypeError, ValueError)):
        Placement.read(forged)  # type: ignore[arg-type]
