"""A part of the labelled submissions, graded for real; `make calibrate` grades them all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.domain.verdicts import Verdict
from grader.engine import Engine
from tests.calibration.corpus import KINDS, Labelled, codes_of, kinds, labelled, representative
from tests.calibration.measuring import NEAR, Graded, grade_one

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine() as engine:
        yield engine


@pytest.mark.parametrize("case", representative(), ids=lambda case: f"{case.name}-{'-'.join(case.faults)}")
def test_a_labelled_submission_gets_exactly_what_it_deserves(engine: Engine, case: Labelled) -> None:
    graded = grade_one(engine, case, seed="calibration")
    wrong = {family: graded.said(family) for family in (*graded.false_accepts, *graded.false_rejects)}
    assert wrong == {}, case.why
    assert all(check.verdict is not Verdict.INTERNAL_ERROR for check in graded.result.results)
    assert_explained(graded)


def assert_explained(graded: Graded) -> None:
    """Each fault is named by some feedback, and some feedback points at its line."""
    said = [(feedback.code, feedback.line) for feedback in graded.feedback]
    for fault in graded.case.faults:
        assert graded.names_cause(fault), (fault, said)
    assert not graded.case.lines or graded.names_line(within=NEAR), (graded.case.lines, said)


def test_the_part_has_right_and_wrong_submissions_of_every_task():
    tasks = {case.task for case in labelled()}
    assert {case.task for case in representative() if not case.faults} == tasks
    assert {case.task for case in representative() if case.faults} == tasks


def test_every_fault_of_the_corpus_has_codes_that_name_it():
    for case in labelled():
        for fault in case.faults:
            assert codes_of(fault), fault


def test_every_program_of_ours_has_its_verdicts_and_every_verdict_its_program():
    assert {case.path for case in kinds()} == set(KINDS.glob("*/*.py"))


def test_the_lines_that_have_to_be_named_are_lines_of_the_programs():
    for case in kinds():
        text = case.path.read_text(encoding="utf-8").splitlines()
        assert all(text[line - 1].strip() for line in case.lines), case.name
