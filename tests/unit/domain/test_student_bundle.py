"""What a bundle says of itself survives being written, and hidden checks are told by their number alone."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction

import pytest

from grader.domain.rubric import CheckSpec, Rubric
from grader.domain.student_bundle import StudentBundle, dump, hidden_groups, left_out, load, public_seed
from grader.domain.verdicts import Family, Visibility
from grader.domain.view import HiddenChecks

CHECK = CheckSpec(
    id="f.values.open", node_id="test_f.py::test_open", title="Open.", family=Family.VALUES, function="f",
    points=Fraction(1, 3),
)  # fmt: skip


def test_a_bundle_is_read_as_it_was_written() -> None:
    bundle = StudentBundle(
        version="v",
        seed=public_seed("v"),
        hidden=(HiddenChecks(visibility=Visibility.AFTER_DUE, count=2, points=Fraction(7, 2)),),
        left_out=(left_out(CHECK, "it is measured"),),
    )
    assert load(json.loads(json.dumps(dump(bundle)))) == bundle


def test_hidden_checks_are_counted_by_when_they_open_and_not_named() -> None:
    hidden = [replace(CHECK, visibility=visibility) for visibility in Visibility]
    groups = hidden_groups(Rubric(checks=(CHECK, *hidden, *hidden)))
    assert [(group.visibility, group.count, group.points) for group in groups] == [
        (visibility, 2, Fraction(2, 3)) for visibility in Visibility if visibility is not Visibility.VISIBLE
    ]


def test_the_public_seed_changes_with_the_assignment() -> None:
    assert public_seed("v") == public_seed("v") != public_seed("w")


@pytest.mark.parametrize(
    "points", ["1e9999999", "1e-9", "1/0", "-50", -1, True, 2.5, None, "9" * 400, 10**100, "٣", "1_0", " 1"]
)
def test_points_that_no_bundle_has_are_refused_at_once(points: object) -> None:
    about = dump(StudentBundle(version="v", seed="s"))
    group = {"visibility": "hidden", "count": 1, "points": points}
    with pytest.raises(ValueError, match="points that are no number"):
        load({**about, "hidden": [group]})


@pytest.mark.parametrize("count", [-1, True, 1.0, "1", 10**30])
def test_a_number_of_checks_that_no_bundle_has_is_refused(count: object) -> None:
    about = dump(StudentBundle(version="v", seed="s"))
    group = {"visibility": "hidden", "count": count, "points": 1}
    with pytest.raises(ValueError, match="count that is no number"):
        load({**about, "hidden": [group]})
