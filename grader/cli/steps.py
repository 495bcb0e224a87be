"""Progress of a job with a known number of steps: a bar on a terminal, one line a step elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)


class ShowStep(Protocol):
    """Say that step `number` of `total` begins."""

    def __call__(self, number: int, total: int, what: str) -> None: ...


@contextmanager
def step_display(console: Console, *, lines: bool = True) -> Iterator[ShowStep]:
    """A function that shows steps on `console` while the block runs.

    Without a terminal each step is a line, or nothing at all where `lines` is false.
    """
    if not console.is_terminal:

        def show(number: int, total: int, what: str) -> None:
            if lines:
                console.print(f"\\[{number}/{total}] {escape(what)}", soft_wrap=True)

        yield show
        return
    columns = (
        SpinnerColumn(),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda number, total, what: bar.update(
            task, completed=number - 1, total=total, description=escape(what)
        )


def spinner(console: Console, what: str) -> AbstractContextManager[object]:
    """Something that turns while a terminal waits for the block; nothing elsewhere."""
    return console.status(f"{escape(what)} …") if console.is_terminal else nullcontext()
