"""Watching the queue: a table that redraws itself on a terminal, a line for each change elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from rich.console import Console
from rich.live import Live
from rich.text import Text

from grader.cli.demo.stage import HandedIn, Stage
from grader.domain.results import Progress
from grader.domain.results import Stage as AttemptStage
from grader.presentation.terminal import AttemptRow, progress_line, results_table
from grader.services.reading import AttemptFilter, AttemptView, attempts

LOOK_EVERY_S = 0.25
"""Short beside the half second at which a worker writes progress."""


def watch(console: Console, stage: Stage) -> dict[HandedIn, AttemptView]:
    """Show the queue until every attempt has ended; returns how.

    EngineFault if the worker ends before.
    """
    if not console.is_terminal:
        return _tell(console, stage)
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        while True:
            views = look(stage)
            live.update(results_table(rows_of(stage, views), title=title_of(views)))
            if all(view.state.final for view in views):
                return dict(zip(stage.handed_in, views, strict=True))
            stage.worker.require_running()
            time.sleep(LOOK_EVERY_S)


def _tell(console: Console, stage: Stage) -> dict[HandedIn, AttemptView]:
    said: dict[str, str] = {}
    while True:
        views = look(stage)
        for row in rows_of(stage, views):
            words = progress_line(coarse(row))
            if said.get(row.name) != words:
                said[row.name] = words
                console.print(Text(f"  {words}"), soft_wrap=True)
        if all(view.state.final for view in views):
            return dict(zip(stage.handed_in, views, strict=True))
        stage.worker.require_running()
        time.sleep(LOOK_EVERY_S)


def look(stage: Stage) -> tuple[AttemptView, ...]:
    """All attempts as they are now, in the order of handing in."""
    wanted = AttemptFilter(ids=tuple(item.attempt_id for item in stage.handed_in))
    found = {view.id: view for view in attempts(stage.node.database, wanted)}
    return tuple(found[item.attempt_id] for item in stage.handed_in)


def rows_of(stage: Stage, views: Sequence[AttemptView]) -> list[AttemptRow]:
    """The rows of the table; whoever waits is told their place."""
    rows, waiting = [], 0
    for item, view in zip(stage.handed_in, views, strict=True):
        queued = view.progress.stage is AttemptStage.QUEUED
        waiting += queued
        rows.append(
            AttemptRow(
                name=item.sample.name,
                progress=None if view.state.final else view.progress,
                position=waiting if queued else None,
                score=view.score,
                max_score=view.max_score,
            )
        )
    return rows


def coarse(row: AttemptRow) -> AttemptRow:
    """A row without what changes all the time: in a log only the turns of events are worth a line."""
    if row.progress is None:
        return row
    stage = row.progress.stage
    running = AttemptStage.QUEUED if stage is AttemptStage.QUEUED else AttemptStage.CHECKING
    return replace(row, progress=Progress(stage=running), position=None)


def title_of(views: Sequence[AttemptView]) -> str:
    """How far the whole thing is."""
    done = sum(view.state.final for view in views)
    return f"Graded {done} of {len(views)}"
