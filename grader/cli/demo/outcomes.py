"""What came of each sample, beside what must come of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from grader.cli.demo.samples import GIVES_POINTS
from grader.cli.demo.stage import HandedIn, Stage
from grader.domain.results import AttemptResult, CheckResult
from grader.domain.submission import SubmittedFiles
from grader.domain.text import mid_sentence, one_line
from grader.domain.verdicts import FAMILY_TITLE, Family
from grader.domain.view import place_in
from grader.presentation.legible import Legible
from grader.presentation.words import points_text
from grader.services import reading
from grader.services.reading import AttemptView

FEW = 2
"""Criteria that are named in the table; of more, the rest is counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One sample's end. `result` is None where grading broke down altogether."""

    handed_in: HandedIn
    attempt: AttemptView
    result: AttemptResult | None
    source: SubmittedFiles

    @property
    def differences(self) -> tuple[str, ...]:
        """How it differs from what is expected; empty where it does not."""
        if self.result is None:
            return (f"was not graded: {self.attempt.failure_reason}",)
        return self.handed_in.sample.differences(self.result)


def read_outcome(stage: Stage, handed_in: HandedIn, attempt: AttemptView) -> Outcome:
    """The outcome of an attempt that has ended."""
    result = reading.result_of(stage.node.database, attempt.id)
    source = reading.files_of(stage.node.database, attempt.submission_id)
    return Outcome(handed_in=handed_in, attempt=attempt, result=result, source=source)


def outcome_table(outcomes: Sequence[Outcome]) -> RenderableType:
    """Expected beside found, one sample a row."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Sample", no_wrap=True)
    table.add_column("What its author did", overflow="fold", ratio=3)
    table.add_column("Points", justify="right", no_wrap=True)
    table.add_column("Expected", justify="right", no_wrap=True)
    table.add_column("Lost in", overflow="fold", ratio=4)
    for outcome in outcomes:
        sample = outcome.handed_in.sample
        agrees = not outcome.differences
        table.add_row(
            sample.name,
            one_line(sample.about, 80),
            Text(
                points_text(outcome.result.score) if outcome.result else "-",
                style="" if agrees else "bold red",
            ),
            points_text(sample.score),
            Text(lost_words(outcome)) if lost_words(outcome) else Text("nothing", style="green"),
        )
    return Legible(table)


def difference_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """Every disagreement with what is expected, one line each."""
    return [
        f"{outcome.handed_in.sample.name} {difference}"
        for outcome in outcomes
        for difference in outcome.differences
    ]


def lost_words(outcome: Outcome) -> str:
    """The criteria that lost points, few of them by name, and the line that the first finding points at.

    Empty where nothing was lost.
    """
    if outcome.result is None:
        return "not graded"
    lost = [check for check in outcome.result.results if check.verdict not in GIVES_POINTS]
    if not lost:
        return ""
    if len(lost) == len(outcome.result.results):
        names = ["everything"]
    else:
        checks = Counter((check.spec.function, check.spec.family) for check in lost)
        names = [_criterion(function, family, count) for (function, family), count in checks.items()]
    if len(names) > FEW:
        names = [names[0], f"{len(names) - 1} more criteria"]
    return ", ".join([" and ".join(names), *_places(outcome, lost)[:1]])


def _places(outcome: Outcome, lost: Sequence[CheckResult]) -> list[str]:
    """The places that findings point at, as their author counts lines."""
    spoken = [check.feedback for check in lost if check.feedback is not None]
    return [
        place_in(outcome.source, found.line, file=found.file) for found in spoken if found.line is not None
    ]


def _criterion(function: str, family: Family, checks: int) -> str:
    several = f" ({checks} checks)" if checks > 1 else ""
    return f"{function}: {mid_sentence(FAMILY_TITLE[family])}{several}"
