"""Nested containers are walked within bounds, and one that was changed is told from one that was not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from grader.engine.candidate import nested
from grader.engine.trees import MAX_NODES


def test_parts_come_in_reading_order():
    assert list(nested.parts([1, (2, {"a": 3}), 4]))[1:] == [1, (2, {"a": 3}), 2, {"a": 3}, 3, 4]


@pytest.mark.parametrize("make", [lambda: [0] * 10**6, lambda: _deep(10**5), lambda: _circle()])  # noqa: PLW0108
def test_a_walk_ends_whatever_is_nested(make: Callable[[], Any]):
    assert len(list(nested.parts(make()))) <= MAX_NODES


def _deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


def _circle() -> list[Any]:
    value: list[Any] = []
    value.extend((value, value))
    return value


def test_containers_are_found_by_identity():
    inner = {"a": 1}
    assert nested.containers(([inner],)).keys() >= {id(inner)}


def test_methods_of_a_students_subclass_are_passed_by():
    class Trap(list[int]):
        def __iter__(self) -> Any:  # noqa: ANN401 - never called
            raise SystemExit

    assert list(nested.parts(Trap([1, 2])))[1:] == [1, 2]


def value() -> list[Any]:
    return [{"w": [1, 2], "b": 3}, (4, [5])]


def test_a_container_left_alone_still_holds_what_it_held():
    given = value()
    assert nested.snapshot(given).still_holds(given)


@pytest.mark.parametrize(
    "change",
    [
        lambda v: v.append(1),
        lambda v: v.pop(),
        lambda v: v[0].pop("b"),
        lambda v: v[0].update(c=1),
        lambda v: v[0]["w"].reverse(),
        lambda v: v[0].update(w=(1, 2)),
        lambda v: v[1][1].clear(),
        lambda v: v[0].update(b=v[0].pop("b"), w=v[0].pop("w")),
        lambda v: v.__setitem__(0, v),
        lambda v: v.reverse(),
    ],
)
def test_every_change_is_noticed(change: Callable[[list[Any]], object]):
    given = value()
    before = nested.snapshot(given)
    change(given)
    assert not before.still_holds(given)


def test_an_equal_array_in_place_of_another_is_a_change():
    given = [np.ones(3)]
    before = nested.snapshot(given)
    given[0] = np.ones(3)
    assert not before.still_holds(given)
