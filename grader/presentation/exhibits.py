"""Evidence prepared for showing: one small value for each kind, the same for pages and terminal.

Every text in an exhibit is inert and bounded. An exhibit knows its `kind`: the page has a template of that
name for it, the terminal a function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from grader.domain.results import EvidenceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One entry of an array."""

    text: str
    differs: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """An excerpt of an array: `columns` and each row's first item are indices in the whole array.

    The edges at which the array goes on are marked: `above`, `below`, `left`, `right`.
    """

    name: str
    columns: tuple[int, ...]
    rows: tuple[tuple[int, tuple[Cell, ...]], ...]
    above: bool = False
    below: bool = False
    left: bool = False
    right: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedText:
    """A name with a text beside it."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrays:
    """Two arrays side by side, with the entries that differ marked."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.ARRAYS
    label: str
    about: str
    grids: tuple[Grid, ...]
    inputs: tuple[NamedText, ...]

    @property
    def marked(self) -> bool:
        """Whether any entry differs."""
        return any(cell.differs for grid in self.grids for _, cells in grid.rows for cell in cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class Structure:
    """What was asked for and what came, in words."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.STRUCTURE
    expected: str
    found: str


SHORTEST_S = 1e-12
LONGEST_S = 1e9


def plausible(seconds: float) -> bool:
    """Whether that can be a run time at all; the rest cannot be drawn."""
    return SHORTEST_S <= seconds <= LONGEST_S


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Measured run times in seconds, and the speedup they give."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.TIMING
    student: tuple[float, ...]
    baseline: tuple[float, ...]
    reference: tuple[float, ...]
    ratio: float | None
    low: float | None
    high: float | None
    needed: float | None
    basis: str
    """What was measured, such as CPU time; empty if not said."""
    compile_s: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Traces:
    """How often a function was traced. `marks` has one entry for each call, true where it was traced."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.TRACES
    calls: int | None
    traces: int | None
    signature: str
    marks: tuple[bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SizePoint:
    """Operations of a program for one size; `share` is the length of its bar, 0 to 1."""

    n: str
    ops: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramSize:
    """How the program grows with the input."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.PROGRAM_SIZE
    points: tuple[SizePoint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A line of the submission."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.SOURCE
    file: str
    place: str
    """Such as "line 12"; empty if not known."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Jaxpr:
    """The traced program, or a part of it."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.JAXPR
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What was written to a stream; `size` is the number of bytes in all."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.OUTPUT
    stream: str
    text: str
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Something outside the function, before and after a call."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.STATE
    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyUse:
    """One use of a PRNG key; `times` counts all uses of that key, `shared` marks one with more than this."""

    use: str
    key: str
    place: str
    times: int
    shared: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys:
    """Which key is used where."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.KEYS
    rows: tuple[KeyUse, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A line on the way to an error, outermost first."""

    place: str
    function: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorReport:
    """An exception and the student's lines it went through."""

    kind: ClassVar[EvidenceKind] = EvidenceKind.ERROR
    type: str
    text: str
    frames: tuple[Frame, ...]


Exhibit = (
    Arrays | Structure | Timing | Traces | ProgramSize | Source | Jaxpr | Output | State | Keys | ErrorReport
)
