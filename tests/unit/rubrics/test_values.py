"""What a failed demand and a constant draw are called, and which line they name."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from grader.domain.results import Evidence, EvidenceKind
from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from rubrics import straying
from rubrics.checks import values
from rubrics.comparing import Result
from rubrics.drawing import Draw
from rubrics.failures import CheckFailed
from rubrics.source import Source
from rubrics.specs import f32
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of, text_at

CODE = "def f(key):\n    own = jax.random.key(0)\n    return normal(own, (64,))\n"
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
        foresee=lambda _: None,
        describe=lambda _: Evidence(kind=EvidenceKind.ARRAYS, data={}),
    )
    stand_in.failed = lambda *args, **options: Subject.failed(cast(Subject, stand_in), *args, **options)
    return cast(Subject, stand_in)


def test_a_demand_that_is_not_met_tells_what_came_back(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(straying, "line_of_fault", lambda *_, **__: None)  # it would run the submission
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
