"""What a failed demand and a constant draw are called, and which line they name."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from grader.domain.results import Evidence, EvidenceKind
from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from rubrics.checks import values
from rubrics.checks.values import Shape
from rubrics.comparing import Result
from rubrics.drawing import Case, Draw
from rubrics.failures import CheckFailed
from rubrics.source import Source
from rubrics.specs import f32, key
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of, text_at

CODE = "def f(key):\n    own = jax.random.key(0)\n    return normal(own, (64,))\n"
ONCE = np.random.default_rng(4).normal(size=64)
DRAW = Draw("seed", "check")


def as_result(value: object) -> Result:
    structure, leaves = trees.pack(value, as_result_leaf)
    return Result(structure=structure, leaves=leaves)


def subject(source: Source, results: Sequence[object]) -> Subject:
    """A function that returned `results`, of a source that tells nothing apart."""
    stand_in = SimpleNamespace(
        name="f",
        source=source,
        session=SimpleNamespace(files=source._files),
        results=lambda _: [as_result(result) for result in results],
        confirmed=lambda _: [],
        describe=lambda _: Evidence(kind=EvidenceKind.ARRAYS, data={}),
    )
    stand_in.failed = lambda *args, **options: Subject.failed(cast(Subject, stand_in), *args, **options)
    return cast(Subject, stand_in)


def draws_fail(results: Sequence[Any], cases: Sequence[Case]) -> CheckFailed:
    with pytest.raises(CheckFailed) as caught:
        values.draws_normal(
            subject(source_of(CODE), results), cases, steps=np.asarray, mean=0, std=1, shape=Shape.NORMAL
        )
    return caught.value


def test_a_demand_that_is_not_met_tells_what_came_back():
    source = source_of(CODE)
    with pytest.raises(CheckFailed) as caught:
        values.satisfies(
            subject(source, [np.float32([-1, 2])]),
            lambda _, result: bool(np.all(result >= 0)),
            [DRAW(f32[2])],
            code=values.NOT_AS_ASKED,
            says="no negative entry",
        )
    params = caught.value.feedback.params
    assert caught.value.feedback.code == "values.not_as_asked"
    assert params["says"] == "no negative entry"
    assert str(params["found"]).endswith("float32[2] from -1 to 2")
    assert text_at(source, caught.value.spot) == "return normal(own, (64,))"


def test_draws_that_no_key_changes_are_called_that_where_their_key_is_made():
    failure = draws_fail([ONCE, ONCE], [DRAW(key), DRAW(key)])
    assert failure.feedback.code == "values.distribution"
    assert failure.feedback.params["found"] == "the same numbers for every key"
    assert failure.feedback.params["source"] == "own = jax.random.key(0)"


def test_draws_of_calls_without_a_key_are_not_blamed_on_keys():
    failure = draws_fail([ONCE, ONCE], [DRAW(f32[2]), DRAW(f32[2])])
    assert failure.feedback.params["statistic"] == "number of repeated draws"
