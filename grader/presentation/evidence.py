"""Reads evidence into exhibits. Keys that are missing, or of another kind than agreed, never raise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping

from grader.domain.results import Evidence, EvidenceKind, JsonValue
from grader.presentation.exhibits import (
    Arrays,
    Cell,
    ErrorReport,
    Exhibit,
    Frame,
    Grid,
    Jaxpr,
    Keys,
    KeyUse,
    NamedText,
    Output,
    ProgramSize,
    SizePoint,
    Source,
    State,
    Structure,
    Timing,
    Traces,
    plausible,
)
from grader.presentation.reading import (
    block_of,
    cell_of,
    grid_of,
    items_of,
    line_of,
    mapping_of,
    number_of,
    numbers_of,
    whole_of,
)

Data = Mapping[str, JsonValue]
Values = list[list[JsonValue]]

_BASES = {"cpu": "CPU time", "wall": "time on the clock"}

TRACE_MARKS = 24
"""Calls drawn one by one; beyond that the numbers have to do."""


Place = Callable[[str, int], str]
"""How to speak of a line of a file (an empty name is the submission's main one)."""


def plain_place(_: str, line: int) -> str:
    """A line, where nothing is known of the file that it lies in."""
    return f"line {line}"


def exhibit_of(evidence: Evidence, *, place: Place = plain_place) -> Exhibit:
    """The evidence, ready to be shown; `place` puts its lines into words."""
    match evidence.kind:
        case EvidenceKind.SOURCE:
            return _source(evidence.data, place)
        case EvidenceKind.KEYS:
            return _keys(evidence.data, place)
        case EvidenceKind.ERROR:
            return _error(evidence.data, place)
        case _:
            return _READERS[evidence.kind](evidence.data)


def _place_in(data: Data, place: Place) -> str:
    line = whole_of(data.get("line"))
    return "" if line is None else place(line_of(data.get("file")), line)


def _arrays(data: Data) -> Arrays:
    actual, expected = grid_of(data.get("actual")), grid_of(data.get("expected"))
    differs = grid_of(data["differs"]) if "differs" in data else _differences(actual, expected)
    named = (("Yours", "actual", actual), ("Right", "expected", expected))
    inputs = [mapping_of(item) for item in items_of(data.get("inputs"))]
    return Arrays(
        label=line_of(data.get("label")),
        about=", ".join(part for part in (line_of(data.get("dtype")), _shape(data.get("shape"))) if part),
        grids=tuple(
            _grid(name, values, differs, origin=_corner(data.get("origin")), size=_size(data.get("shape")))
            for name, key, values in named
            if key in data
        ),
        inputs=tuple(
            NamedText(name=line_of(item.get("name")), text=block_of(item.get("text"), limit=600))
            for item in inputs
        ),
    )


def _differences(actual: Values, expected: Values) -> Values:
    return [[_at(expected, i, j) != cell for j, cell in enumerate(row)] for i, row in enumerate(actual)]


def _at(values: Values, i: int, j: int) -> JsonValue:
    return values[i][j] if i < len(values) and j < len(values[i]) else None


def _shape(value: JsonValue) -> str:
    """As Python writes a shape; an empty list is a scalar's."""
    if not isinstance(value, list):
        return line_of(value)
    sizes = [line_of(size, limit=12) for size in items_of(value)]
    return f"shape ({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"


def _corner(origin: JsonValue) -> tuple[int, int]:
    """Indices of the excerpt's first row and column in the whole array."""
    found = [whole_of(item) or 0 for item in items_of(origin)]
    return (found[-2] if len(found) > 1 else 0, found[-1] if found else 0)


def _size(shape: JsonValue) -> tuple[int, int]:
    """Rows and columns of the whole array; zeros where its shape is not told."""
    sizes = [whole_of(item) or 0 for item in items_of(shape)]
    return (math.prod(sizes[:-1]), sizes[-1]) if sizes else (0, 0)


def _grid(
    name: str, values: Values, differs: Values, *, origin: tuple[int, int], size: tuple[int, int]
) -> Grid:
    first_row, first_column = origin
    width = max((len(row) for row in values), default=0)
    return Grid(
        name=name,
        columns=tuple(range(first_column, first_column + width)),
        rows=tuple(
            (
                first_row + i,
                tuple(
                    Cell(text=cell_of(cell), differs=_at(differs, i, j) is True) for j, cell in enumerate(row)
                ),
            )
            for i, row in enumerate(values)
        ),
        above=first_row > 0,
        below=first_row + len(values) < size[0],
        left=first_column > 0,
        right=first_column + width < size[1],
    )


def _structure(data: Data) -> Structure:
    found = data.get("actual", data.get("found"))
    return Structure(expected=block_of(data.get("expected")), found=block_of(found))


def _timing(data: Data) -> Timing:
    return Timing(
        student=_times(data.get("student")),
        baseline=_times(data.get("baseline")),
        reference=_times(data.get("reference")),
        ratio=number_of(data.get("ratio")),
        low=number_of(data.get("low")),
        high=number_of(data.get("high")),
        needed=number_of(data.get("needed")),
        basis=_BASES.get(line_of(data.get("basis")), ""),
        compile_s=number_of(data.get("compile_s")),
    )


def _times(value: JsonValue) -> tuple[float, ...]:
    return tuple(seconds for seconds in numbers_of(value) if plausible(seconds))


def _traces(data: Data) -> Traces:
    calls, traces = whole_of(data.get("calls")), whole_of(data.get("traces"))
    drawn = calls is not None and traces is not None and 0 < calls <= TRACE_MARKS
    return Traces(
        calls=calls,
        traces=traces,
        signature=line_of(data.get("signature")),
        marks=tuple(call < (traces or 0) for call in range(calls or 0)) if drawn else (),
    )


def _program_size(data: Data) -> ProgramSize:
    points = [mapping_of(item) for item in items_of(data.get("points"))]
    sizes = [number_of(point.get("ops")) or 0.0 for point in points]
    largest = max([*sizes, 1.0])
    return ProgramSize(
        points=tuple(
            SizePoint(
                n=line_of(point.get("n"), limit=24),
                ops=line_of(point.get("ops"), limit=24),
                share=max(size, 0.0) / largest,
            )
            for point, size in zip(points, sizes, strict=True)
        )
    )


def _source(data: Data, place: Place) -> Source:
    return Source(
        file=line_of(data.get("file")), place=_place_in(data, place), text=block_of(data.get("text"))
    )


def _jaxpr(data: Data) -> Jaxpr:
    return Jaxpr(text=block_of(data.get("text"), limit=20_000))


def _output(data: Data) -> Output:
    return Output(
        stream=line_of(data.get("stream")), text=block_of(data.get("text")), size=whole_of(data.get("bytes"))
    )


def _state(data: Data) -> State:
    return State(
        name=line_of(data.get("name")),
        before=block_of(data.get("before"), limit=600),
        after=block_of(data.get("after"), limit=600),
    )


def _keys(data: Data, place: Place) -> Keys:
    rows = [mapping_of(item) for item in items_of(data.get("rows"))]
    times = [max(whole_of(row.get("times")) or 1, 1) for row in rows]
    used: Counter[str] = Counter()
    for row, count in zip(rows, times, strict=True):
        used[line_of(row.get("key"))] += count
    return Keys(
        rows=tuple(
            KeyUse(
                use=line_of(row.get("use")),
                key=line_of(row.get("key")),
                place=_place_in(row, place),
                times=count,
                shared=used[line_of(row.get("key"))] > 1,
            )
            for row, count in zip(rows, times, strict=True)
        )
    )


def _error(data: Data, place: Place) -> ErrorReport:
    frames = [mapping_of(item) for item in items_of(data.get("frames"))]
    return ErrorReport(
        type=line_of(data.get("type")),
        text=block_of(data.get("text"), limit=2_000),
        frames=tuple(
            Frame(
                place=_place_in(frame, place),
                function=line_of(frame.get("function")),
                text=line_of(frame.get("text")),
            )
            for frame in frames
        ),
    )


_READERS: Mapping[EvidenceKind, Callable[[Data], Exhibit]] = {
    EvidenceKind.ARRAYS: _arrays,
    EvidenceKind.STRUCTURE: _structure,
    EvidenceKind.TIMING: _timing,
    EvidenceKind.TRACES: _traces,
    EvidenceKind.PROGRAM_SIZE: _program_size,
    EvidenceKind.JAXPR: _jaxpr,
    EvidenceKind.OUTPUT: _output,
    EvidenceKind.STATE: _state,
}
