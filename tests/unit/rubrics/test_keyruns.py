"""Where a result holds its new key: by position, by name, or some way in."""

from __future__ import annotations

from collections import namedtuple
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from rubrics.checks.keyruns import Place, _returned_keys
from rubrics.failures import CheckFailed
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of, text_at

SOURCE = source_of("def f(state):\n    return state\n")
KEY, OTHER = np.uint32([1, 2]), np.float32([3])
State = namedtuple("State", "x key")  # noqa: PYI024 - as learners write it


def places(result: object, returns_key: Place | None) -> list[int]:
    stand_in = SimpleNamespace(name="f", source=SOURCE, session=SimpleNamespace(files=SOURCE._files))
    stand_in.failed = lambda *args, **options: Subject.failed(cast(Subject, stand_in), *args, **options)
    return _returned_keys(cast(Subject, stand_in), trees.pack(result, as_result_leaf)[0], returns_key)


@pytest.mark.parametrize(
    "result, returns_key",
    [
        ((OTHER, KEY), 1),
        ([OTHER, KEY], (1,)),
        ({"x": OTHER, "key": KEY}, "key"),
        (State(OTHER, KEY), "key"),
        (State(OTHER, KEY), 1),
        (({"x": OTHER, "key": KEY}, 3), (0, "key")),
        ({"x": OTHER, "rng": (KEY, 1)}, ("rng", 0)),
    ],
)
def test_a_key_is_found_where_it_is_said_to_be(result: object, returns_key: Place):
    assert places(result, returns_key) == [1]


def test_a_key_may_be_all_that_is_returned():
    assert places(KEY, ()) == [0]


def test_without_a_place_nothing_is_looked_for():
    assert places((OTHER, KEY), None) == []


@pytest.mark.parametrize(
    "result, returns_key, says",
    [
        ((OTHER,), 1, "a new key at result[1]"),
        ({"x": OTHER}, "key", "a new key at result['key']"),
        (({"x": OTHER}, 1), (0, "key"), "a new key at result[0]['key']"),
        ({"key": (KEY, KEY)}, "key", "a new key at result['key']"),
        (None, (), "a new key"),
    ],
)
def test_a_result_without_it_is_told_what_it_lacks(result: object, returns_key: Place, says: str):
    with pytest.raises(CheckFailed) as caught:
        places(result, returns_key)
    assert caught.value.feedback.params["expected"] == says
    assert text_at(SOURCE, caught.value.spot) == "return state"
