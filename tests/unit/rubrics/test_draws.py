"""What wrong draws are called, which line they name, and with how many calls they are looked for."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from grader.domain.catalogue import render
from grader.domain.results import Feedback
from grader.engine import trees
from grader.engine.candidate.values import as_result_leaf
from rubrics import laws
from rubrics.checks import draws
from rubrics.comparing import Result
from rubrics.drawing import Case, Draw
from rubrics.failures import CheckFailed
from rubrics.laws import Law
from rubrics.specs import f32, key
from rubrics.subject import Subject
from tests.unit.rubrics.sources import source_of

CODE = "def f(key):\n    own = jax.random.key(0)\n    return normal(own, (64,))\n"
ONCE = np.random.default_rng(4).normal(size=64)
DRAW = Draw("seed", "check")


def as_result(value: object) -> Result:
    structure, leaves = trees.pack(value, as_result_leaf)
    return Result(structure=structure, leaves=leaves)


def subject(results: Sequence[object], more: Sequence[object] = ()) -> Subject:
    """A function that returned `results`, and then `more` of other keys, of a source that tells nothing."""
    source = source_of(CODE)
    stand_in = SimpleNamespace(
        name="f",
        source=source,
        session=SimpleNamespace(files=source._files),
        results=lambda _: [as_result(result) for result in results],
        more_results=lambda case, count: ([case] * len(more[:count]), [*map(as_result, more[:count])]),
    )
    stand_in.failed = lambda *args, **options: Subject.failed(cast(Subject, stand_in), *args, **options)
    return cast(Subject, stand_in)


def judged(subject: Subject, cases: Sequence[Case], law: Law | None = None) -> CheckFailed | None:
    try:
        draws.draws_from(subject, law or laws.normal(), cases, numbers=lambda _, result: result)
    except CheckFailed as failure:
        return failure
    return None


def failing(subject: Subject, cases: Sequence[Case], law: Law | None = None) -> CheckFailed:
    failure = judged(subject, cases, law)
    assert failure is not None
    return failure


def test_draws_that_no_key_changes_are_called_that_where_their_key_is_made():
    failure = failing(subject([ONCE, ONCE]), [DRAW(key), DRAW(key)])
    assert failure.feedback.code == "values.distribution"
    assert failure.feedback.params["found"] == "the same numbers for every key"
    assert failure.feedback.params["source"] == "own = jax.random.key(0)"


def test_draws_of_calls_without_a_key_are_not_blamed_on_keys():
    failure = failing(subject([ONCE, ONCE]), [DRAW(f32[2]), DRAW(f32[2])])
    assert failure.feedback.params["statistic"] == "number of repeated draws"


def test_a_fault_that_few_draws_hide_shows_in_those_of_more_keys():
    narrow = 0.95 * np.random.default_rng(5).normal(size=(400, 64))
    assert judged(subject([narrow[0]]), [DRAW(key)]) is None
    assert (
        failing(subject([narrow[0]], list(narrow[1:])), [DRAW(key)]).feedback.params["statistic"]
        == "variance"
    )


def test_right_draws_of_many_keys_pass():
    right = np.random.default_rng(6).normal(size=(400, 64))
    assert judged(subject([right[0]], list(right[1:])), [DRAW(key)]) is None


def test_a_key_of_its_own_is_not_taken_for_a_wrong_law():
    assert judged(subject([ONCE], [ONCE] * 300), [DRAW(key)]) is None


def test_infinite_draws_are_called_that():
    assert failing(subject([np.float32([1, np.inf])]), [DRAW(key)]).feedback.code == "values.not_finite"


def test_numbers_are_asked_with_the_arguments():
    seen: list[object] = []

    def numbers(args: tuple[object, ...], result: object) -> object:
        seen.append(args[1])
        return result

    draws.draws_from(subject([ONCE]), laws.normal(), [DRAW(key, 3)], numbers=numbers)
    assert seen == [3]


def test_the_same_draws_for_every_key_are_said_to_be_that():
    shown = render(Feedback(code="values.distribution", params={"function": "f", **draws.SAME_DRAWS}))
    assert "the same numbers for every key" in shown.message
    assert shown.lesson == "#prng-keys"


@pytest.mark.parametrize("law", [laws.uniform(-1, 1), laws.bernoulli(0.5)])
def test_another_law_is_told_with_what_was_found_and_expected(law: Law):
    failure = failing(subject([np.full(64, 7.0)]), [DRAW(key)], law)
    assert failure.feedback.code == "values.distribution"
    assert failure.feedback.params["found"] != failure.feedback.params["expected"]
