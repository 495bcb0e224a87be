"""Attempts in words: one line while they run, one row once they are listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rich import box
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from grader.db.database import Database
from grader.domain.attempts import STATES_FOR_STAFF, AttemptState
from grader.domain.results import Progress, Stage
from grader.domain.text import one_line
from grader.presentation.legible import Legible
from grader.presentation.terminal import AttemptRow, progress_line
from grader.presentation.words import progress_text, score_text
from grader.services import reading
from grader.services.lookup import short_id
from grader.services.reading import AttemptView


def row_of(database: Database, attempt: AttemptView, *, name: str) -> AttemptRow:
    """An attempt as tables and progress lines of the presentation take it."""
    position = reading.queue_position(database, attempt.id)
    return AttemptRow(
        name=name,
        progress=None if attempt.state.final else attempt.progress,
        position=None if position is None else position.ahead + 1,
        score=attempt.score,
        max_score=attempt.max_score,
        graded=attempt.state is not AttemptState.NOT_GRADED,
    )


def turn_of_events(row: AttemptRow) -> str:
    """A row's line without what changes all the time: in a log only the turns of events are worth a line."""
    if row.progress is None:
        return progress_line(row)
    stage = Stage.QUEUED if row.progress.stage is Stage.QUEUED else Stage.CHECKING
    return progress_line(replace(row, progress=Progress(stage=stage), position=None))


def status_table(latest: Sequence[AttemptView]) -> RenderableType:
    """Attempts for whoever keeps an eye on the queue."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("Id", no_wrap=True)
    for heading in ("Student", "Assignment", "Submission", "Received (UTC)", "State"):
        table.add_column(heading, overflow="fold")
    for attempt in latest:
        again = "" if attempt.number == 1 else f", attempt {attempt.number}"
        table.add_row(
            short_id(attempt.submission_id),
            Text(one_line(attempt.student, 40)),
            Text(attempt.assignment),
            f"{attempt.submission_number}{again}",
            f"{attempt.received_at:%Y-%m-%d %H:%M}",
            _state(attempt),
        )
    return Legible(table)


def _state(attempt: AttemptView) -> Text:
    if attempt.score is not None and attempt.max_score is not None:
        return Text(score_text(attempt.score, attempt.max_score))
    if attempt.state in STATES_FOR_STAFF:
        words = f"{attempt.state.value.replace('_', ' ')}: {attempt.failure_reason or 'nobody knows why'}"
        return Text(one_line(words, 300), style="bold red")
    return Text(progress_text(attempt.progress), style="cyan")
