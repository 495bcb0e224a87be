"""Watching the queue: a table that redraws itself on a terminal, a line for each turn of events elsewhere."""

from __future__ import annotations

from time import monotonic, sleep
from uuid import UUID

from rich.console import Console
from rich.live import Live
from rich.text import Text

from grader.cli.demo.outcomes import Outcome, lost_words, read_outcome
from grader.cli.demo.stage import HandedIn, Stage
from grader.cli.rows import turn_of_events
from grader.domain.results import Stage as AttemptStage
from grader.presentation.terminal import AttemptRow, results_table
from grader.presentation.words import duration_text
from grader.services.reading import AttemptFilter, AttemptView, attempts

LOOK_EVERY_S = 0.25
"""Short beside the half second at which a worker writes progress."""


def watch(console: Console, stage: Stage) -> tuple[Outcome, ...]:
    """Show the queue until every attempt has ended; EngineFault if the worker ends before."""
    watcher = _Watcher(stage)
    show = _redraw if console.is_terminal else _tell
    show(console, watcher)
    return watcher.outcomes


class _Watcher:
    """What is known of the attempts; `look` brings it up to date."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        self._began = monotonic()
        self._views: dict[UUID, AttemptView] = {}
        self._outcomes: dict[UUID, Outcome] = {}

    def look(self) -> bool:
        """Read the attempts; False once all have ended."""
        wanted = AttemptFilter(ids=tuple(item.attempt_id for item in self._stage.handed_in))
        self._views = {view.id: view for view in attempts(self._stage.node.database, wanted)}
        for item in self._stage.handed_in:
            view = self._views[item.attempt_id]
            if view.state.final and item.attempt_id not in self._outcomes:
                self._outcomes[item.attempt_id] = read_outcome(self._stage, item, view)
        if len(self._outcomes) == len(self._stage.handed_in):
            return False
        self._stage.worker.require_running()
        return True

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """What came of the attempts that have ended, in the order of handing in."""
        ids = (item.attempt_id for item in self._stage.handed_in)
        return tuple(self._outcomes[attempt_id] for attempt_id in ids if attempt_id in self._outcomes)

    @property
    def title(self) -> str:
        """How far the whole thing is."""
        total = len(self._stage.handed_in)
        return f"Graded {len(self._outcomes)} of {total}, {duration_text(round(monotonic() - self._began))}"

    def rows(self) -> list[AttemptRow]:
        """The rows of the table; whoever waits is told their place."""
        rows, waiting = [], 0
        for item in self._stage.handed_in:
            queued = self._views[item.attempt_id].progress.stage is AttemptStage.QUEUED
            waiting += queued
            rows.append(self._row(item, position=waiting if queued else None))
        return rows

    def _row(self, item: HandedIn, *, position: int | None) -> AttemptRow:
        view, outcome = self._views[item.attempt_id], self._outcomes.get(item.attempt_id)
        words = lost_words(outcome) if outcome else ""
        return AttemptRow(
            name=item.sample.name,
            progress=None if view.state.final else view.progress,
            position=position,
            score=view.score,
            max_score=view.max_score,
            lost=(words,) if words else (),
        )


def _redraw(console: Console, watcher: _Watcher) -> None:
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        while watcher.look():
            live.update(results_table(watcher.rows(), title=watcher.title))
            sleep(LOOK_EVERY_S)


def _tell(console: Console, watcher: _Watcher) -> None:
    said: dict[str, str] = {}
    busy = True
    while busy:
        busy = watcher.look()
        for row in watcher.rows():
            words = turn_of_events(row)
            if said.get(row.name) != words:
                said[row.name] = words
                console.print(Text(f"  {words}"), soft_wrap=True)
        if busy:
            sleep(LOOK_EVERY_S)
