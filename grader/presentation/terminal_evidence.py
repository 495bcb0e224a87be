"""Evidence in a terminal: one function for each kind of exhibit."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from rich import box
from rich.columns import Columns
from rich.console import Console, ConsoleOptions, RenderableType
from rich.table import Table
from rich.text import Text

from grader.domain.results import EvidenceKind
from grader.presentation.exhibits import (
    Arrays,
    Cell,
    ErrorReport,
    Exhibit,
    Grid,
    Jaxpr,
    Keys,
    Output,
    ProgramSize,
    Source,
    State,
    Structure,
    Timing,
    Traces,
)
from grader.presentation.words import counted, duration_text

BAR_WIDTH = 32
JAXPR_LINES = 12
GAP = "…"
"""Stands where an array goes on."""


def exhibit_lines(exhibit: Exhibit) -> Iterator[RenderableType]:
    """The exhibit, a few lines high."""
    yield from _WRITERS[exhibit.kind](exhibit)


def _arrays(exhibit: Arrays) -> Iterator[RenderableType]:
    if exhibit.grids:
        about = f": {exhibit.about}" if exhibit.about else ""
        marked = " Entries that differ carry a *." if exhibit.marked else ""
        yield Text(f"{exhibit.label or 'The result'}{about}.{marked}", style="dim")
        yield _SideBySide(exhibit.grids)
    for given in exhibit.inputs:
        yield Text(f"called with {given.name} = {given.text}", style="dim")


class _SideBySide:
    """Grids next to each other, or below each other where there is no room; no number is ever cut."""

    def __init__(self, grids: Sequence[Grid]) -> None:
        self._grids = grids

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        tables = [_grid(_narrowed(grid, options.max_width)) for grid in self._grids]
        yield Columns(tables, padding=(0, 4))


BETWEEN = 3
"""Characters that a table puts between two columns."""


def _narrowed(grid: Grid, room: int) -> Grid:
    """The grid with as many of its columns as have room, one at least; what is left out is marked."""
    label = max([len(GAP), *(len(str(index)) for index, _ in grid.rows)])
    used = label + (BETWEEN + len(GAP)) * (1 + grid.left)
    kept = 0
    for position, column in enumerate(grid.columns):
        cells = [cells[position] for _, cells in grid.rows if position < len(cells)]
        widest = max([len(str(column)), *(len(_cell(cell)) for cell in cells)])
        used += BETWEEN + widest
        if used > room and kept:
            break
        kept += 1
    if kept == len(grid.columns):
        return grid
    rows = tuple((index, cells[:kept]) for index, cells in grid.rows)
    return replace(grid, columns=grid.columns[:kept], rows=rows, right=True)


def _cell(cell: Cell) -> str:
    return f"*{cell.text}" if cell.differs else cell.text


def _grid(grid: Grid) -> Table:
    table = Table(title=grid.name, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    left, right = [GAP] * grid.left, [GAP] * grid.right
    headings = ["", *left, *map(str, grid.columns), *right]
    for heading in headings:
        table.add_column(heading, justify="right", no_wrap=True)
    gap_row = [Text(GAP, style="dim")] * len(headings)
    if grid.above:
        table.add_row(*gap_row)
    for index, cells in grid.rows:
        marked = [Text(_cell(cell), style="bold red" if cell.differs else "") for cell in cells]
        missing = [""] * (len(grid.columns) - len(cells))
        table.add_row(Text(str(index), style="dim"), *left, *marked, *missing, *right)
    if grid.below:
        table.add_row(*gap_row)
    return table


def _structure(exhibit: Structure) -> Iterator[RenderableType]:
    yield Text(f"yours: {exhibit.found}")
    yield Text(f"right: {exhibit.expected}")


def _timing(exhibit: Timing) -> Iterator[RenderableType]:
    programs = (("yours", exhibit.student), ("baseline", exhibit.baseline), ("reference", exhibit.reference))
    medians = [(name, statistics.median(runs), len(runs)) for name, runs in programs if runs]
    if medians:
        listed = ", ".join(
            f"{name} {duration_text(value)} ({counted(n, 'run')})" for name, value, n in medians
        )
        yield Text(f"median run times: {listed}", style="dim")
    if exhibit.compile_s is not None:
        yield Text(f"compiling yours took {duration_text(exhibit.compile_s)}, not counted", style="dim")
    if exhibit.ratio is not None:
        yield Text(_speedup(exhibit), style="dim")


def _speedup(exhibit: Timing) -> str:
    spread = ""
    if exhibit.low is not None and exhibit.high is not None:
        spread = f" (between {exhibit.low:.3g} and {exhibit.high:.3g})"
    asked = f", asked for: {exhibit.needed:g}" if exhibit.needed is not None else ""
    return f"{exhibit.ratio:.3g} times as fast as the baseline{spread}{asked}"


def _traces(exhibit: Traces) -> Iterator[RenderableType]:
    calls = "calls" if exhibit.calls is None else counted(exhibit.calls, "call")
    traced = "" if exhibit.traces is None else f": traced {counted(exhibit.traces, 'time')}, once is enough"
    signature = f" ({exhibit.signature})" if exhibit.signature else ""
    yield Text(f"{calls} with the same signature{signature}{traced}", style="dim")


def _program_size(exhibit: ProgramSize) -> Iterator[RenderableType]:
    yield Text("operations in the traced program, by size of the input:", style="dim")
    for point in exhibit.points:
        bar = "#" * max(round(point.share * BAR_WIDTH), 1)
        yield Text(f"{point.n:>8} {point.ops:>9} {bar}")


def _source(exhibit: Source) -> Iterator[RenderableType]:
    where = f"{exhibit.place}: " if exhibit.place else ""
    yield Text(f"{where}{exhibit.text}")


def _jaxpr(exhibit: Jaxpr) -> Iterator[RenderableType]:
    lines = exhibit.text.split("\n")
    yield Text("the program that JAX traced:", style="dim")
    yield Text("\n".join(f"  {line}" for line in lines[:JAXPR_LINES]), style="dim")
    if len(lines) > JAXPR_LINES:
        yield Text(f"  {counted(len(lines) - JAXPR_LINES, 'more line')} in the HTML report", style="dim")


def _output(exhibit: Output) -> Iterator[RenderableType]:
    size = "" if exhibit.size is None else f" ({counted(exhibit.size, 'byte')} in all)"
    yield Text(f"written to {exhibit.stream or 'the output'}{size}:", style="dim")
    yield Text("\n".join(f"  {line}" for line in exhibit.text.split("\n")[:JAXPR_LINES]))


def _state(exhibit: State) -> Iterator[RenderableType]:
    change = f": {exhibit.before} before, {exhibit.after} after" if exhibit.before or exhibit.after else ""
    yield Text(f"{exhibit.name or 'state outside the function'} changes during a call{change}", style="dim")


def _keys(exhibit: Keys) -> Iterator[RenderableType]:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("Key", "Use", "Place", "Uses of the key", "Finding"):
        table.add_column(title, overflow="fold")
    for row in exhibit.rows:
        finding = Text("used more than once", style="bold red") if row.shared else Text()
        table.add_row(Text(row.key), Text(row.use), Text(row.place), str(row.times), finding)
    yield table


def _error(exhibit: ErrorReport) -> Iterator[RenderableType]:
    for frame in exhibit.frames:
        function = f" in {frame.function}" if frame.function else ""
        yield Text(f"{frame.place}{function}: {frame.text}".strip(), style="dim")
    yield Text(f"{exhibit.type}: {exhibit.text}" if exhibit.text else exhibit.type)


_WRITERS: dict[EvidenceKind, Callable[[Any], Iterator[RenderableType]]] = {
    EvidenceKind.ARRAYS: _arrays,
    EvidenceKind.STRUCTURE: _structure,
    EvidenceKind.TIMING: _timing,
    EvidenceKind.TRACES: _traces,
    EvidenceKind.PROGRAM_SIZE: _program_size,
    EvidenceKind.SOURCE: _source,
    EvidenceKind.JAXPR: _jaxpr,
    EvidenceKind.OUTPUT: _output,
    EvidenceKind.STATE: _state,
    EvidenceKind.KEYS: _keys,
    EvidenceKind.ERROR: _error,
}
