"""What came of the samples, in words."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

from rich.console import Console

from grader.cli.demo.outcomes import Outcome, difference_lines, lost_words, outcome_table
from grader.cli.demo.samples import Sample
from grader.cli.demo.stage import HandedIn
from grader.domain.attempts import AttemptState, Lane, Queue
from grader.domain.results import AttemptResult, Progress, Stage
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.verdicts import Verdict
from grader.services.reading import AttemptView
from tests.builders import a_check, an_attempt, submitted

ROWS, SHAPE = "normalize.values.rows", "normalize.values.shape"
PURE, KEYS = "normalize.purity.prints", "walk.prng.keys"


def outcome(
    result: AttemptResult | None,
    *,
    fails: frozenset[str] = frozenset(),
    score: int = 0,
    source: SubmittedFiles | None = None,
) -> Outcome:
    sample = Sample(
        path=Path("mine.py"), student="bo", about="did it", score=Fraction(score), fails=fails, line=None
    )
    handed_in = HandedIn(sample=sample, attempt_id=uuid4(), submission_id=uuid4())
    return Outcome(
        handed_in=handed_in, attempt=a_view(handed_in), result=result, source=source or submitted()
    )


def a_view(handed_in: HandedIn) -> AttemptView:
    return AttemptView(
        id=handed_in.attempt_id,
        submission_id=handed_in.submission_id,
        version_id=uuid4(),
        assignment="functional-core",
        student="bo",
        student_name="Bo",
        submission_number=1,
        number=1,
        received_at=datetime.now(UTC),
        content_hash="0" * 64,
        state=AttemptState.GRADED,
        queue=Queue.CPU,
        lane=Lane.INTERACTIVE,
        tries=1,
        progress=Progress(stage=Stage.DONE),
        worker=None,
        started_at=None,
        finished_at=None,
        score=None,
        max_score=None,
        failure_reason="its workers died",
    )


def graded(*failed: str, line: int | None = None) -> AttemptResult:
    return an_attempt(
        *(
            a_check(
                name,
                Verdict.FAILED if name in failed else Verdict.PASSED,
                code="values.differ" if name in failed else None,
                line=line,
            )
            for name in (ROWS, SHAPE, PURE, KEYS)
        )
    )


def test_nothing_lost_is_no_words() -> None:
    assert lost_words(outcome(graded())) == ""


def test_one_fault_is_told_with_its_line() -> None:
    assert lost_words(outcome(graded(PURE, line=7))) == "normalize: purity, line 7"


def test_checks_of_one_criterion_are_counted() -> None:
    assert lost_words(outcome(graded(ROWS, SHAPE))) == "normalize: values (2 checks)"


def test_many_criteria_are_counted() -> None:
    assert lost_words(outcome(graded(ROWS, PURE, KEYS))) == "normalize: values and 2 more criteria"


def test_everything_is_one_word() -> None:
    assert lost_words(outcome(graded(ROWS, SHAPE, PURE, KEYS, line=1))) == "everything, line 1"


def test_an_attempt_without_a_result_is_told_with_its_reason() -> None:
    broken = outcome(None)
    assert lost_words(broken) == "not graded"
    assert difference_lines([broken]) == ["mine.py was not graded: its workers died"]


def test_the_table_puts_expected_beside_found() -> None:
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(outcome_table([outcome(graded(PURE, line=7), score=12, fails=frozenset({PURE}))]))
    (row,) = [line for line in console.export_text().splitlines() if "mine.py" in line]
    assert row.split() == ["mine.py", "did", "it", "12", "12", "normalize:", "purity,", "line", "7"]


def test_a_line_of_a_notebook_is_told_by_its_cell() -> None:
    file = SourceFile(name="hw.ipynb", text="# %% cell 1\nx = 1\n# %% cell 2\ny = 1\nz = 2\n")
    notebook = SubmittedFiles(entry="hw.ipynb", files=(file,))
    assert lost_words(outcome(graded(PURE, line=5), source=notebook)).endswith(", cell 2, line 2")
