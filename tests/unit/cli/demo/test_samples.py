"""What the demo expects of its samples, and how it tells a difference."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from grader.cli.demo.samples import Sample, read_samples
from grader.content.assignments import find_assignment
from grader.domain.errors import AssignmentInvalid
from grader.domain.results import AttemptResult
from grader.domain.verdicts import Verdict
from tests.builders import a_check, an_attempt

GOOD, BAD = "normalize.values.rows", "normalize.purity.prints"

SAMPLE = Sample(
    path=Path("prints.py"),
    student="bo",
    about="prints",
    score=Fraction(4),
    fails=frozenset({BAD}),
    line=7,
)


def result(*, bad: Verdict = Verdict.FAILED, good: Verdict = Verdict.PASSED, line: int = 7) -> AttemptResult:
    return an_attempt(a_check(GOOD, good), a_check(BAD, bad, code="purity.prints", line=line))


def test_what_is_as_expected_differs_in_nothing() -> None:
    assert SAMPLE.differences(result()) == ()


def test_another_verdict_that_loses_the_same_points_is_no_difference() -> None:
    assert SAMPLE.differences(result(bad=Verdict.TIMED_OUT)) == ()


def test_a_fault_that_was_not_found_is_a_difference() -> None:
    assert SAMPLE.differences(result(bad=Verdict.PASSED)) == (
        "earns 8 points instead of 4",
        f"passes {BAD}, which it should fail",
        "is told line none instead of 7",
    )


def test_a_fault_that_is_none_is_a_difference() -> None:
    assert f"loses points in {GOOD}, which it should pass" in SAMPLE.differences(result(good=Verdict.CRASHED))


def test_another_line_is_a_difference() -> None:
    assert SAMPLE.differences(result(line=8)) == ("is told line 8 instead of 7",)


def test_where_no_line_is_expected_any_will_do() -> None:
    assert replace(SAMPLE, line=None).differences(result(line=8)) == ()


def test_a_check_that_nobody_judged_is_a_difference() -> None:
    assert "was not graded in full" in SAMPLE.differences(result(good=Verdict.INTERNAL_ERROR))


def test_the_samples_that_ship_are_complete() -> None:
    root = find_assignment("functional-core")
    samples = read_samples(root)
    files = {path.name for path in (root / "samples").iterdir() if path.suffix in (".py", ".ipynb")}
    assert {sample.name for sample in samples} == files
    assert len(samples) >= 10
    assert len({sample.student for sample in samples}) == len(samples)
    assert [sample.name for sample in samples if not sample.fails] == ["right.py"]


@pytest.mark.parametrize("text", ["[[samples]]\nfile = 'x.py'\n", "[[samples", "samples = 3", "other = 1"])
def test_expectations_that_cannot_be_read_are_named(tmp_path: Path, text: str) -> None:
    (tmp_path / "samples").mkdir()
    (tmp_path / "samples" / "expected.toml").write_text(text)
    with pytest.raises(AssignmentInvalid, match=r"expected\.toml"):
        read_samples(tmp_path)


def test_an_assignment_without_expectations_has_no_demo(tmp_path: Path) -> None:
    with pytest.raises(AssignmentInvalid, match="no demo"):
        read_samples(tmp_path)
