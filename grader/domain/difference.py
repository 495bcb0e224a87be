"""What changed between two submissions, file by file and line by line, in rows to be shown side by side.

Lines are compared by the greedy algorithm of E. W. Myers, "An O(ND) Difference Algorithm and Its Variations"
(Algorithmica 1, 1986), which finds the fewest lines removed and added. Its cost grows with their number, so
beyond a limit the whole stretch between the first and the last difference is shown as replaced: no upload can
make a comparison slow.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby, zip_longest

from grader.domain.submission import SubmittedFiles

MOST_CHANGES = 600
"""Lines removed and added up to which the fewest are looked for."""

MOST_LINES = 4_000
"""Lines of a file that are compared."""

CONTEXT = 3
"""Unchanged lines shown around each change."""


class Change(StrEnum):
    """What happened to a line."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Two lines that stand beside each other, 1-based; a number is None where a side has no line."""

    change: Change
    old_number: int | None
    old: str
    new_number: int | None
    new: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Rows that belong together; `skipped` equal lines were left out before them."""

    skipped: int
    rows: tuple[Row, ...]

    @property
    def runs(self) -> tuple[tuple[Row, ...], ...]:
        """Rows in stretches of equal or of changed lines: in one column, old lines stand before new ones."""
        grouped = groupby(self.rows, key=lambda row: row.change is Change.SAME)
        return tuple(tuple(rows) for _, rows in grouped)


class FileChange(StrEnum):
    """What happened to a file."""

    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDifference:
    """One file of either submission; `name` is its newest. `cut`: it has more lines than are compared."""

    name: str
    change: FileChange
    hunks: tuple[Hunk, ...] = ()
    cut: bool = False

    @property
    def added(self) -> int:
        return sum(row.new_number is not None for row in self._changed)

    @property
    def removed(self) -> int:
        return sum(row.old_number is not None for row in self._changed)

    @property
    def _changed(self) -> tuple[Row, ...]:
        return tuple(row for hunk in self.hunks for row in hunk.rows if row.change is not Change.SAME)


def differences(old: SubmittedFiles, new: SubmittedFiles) -> tuple[FileDifference, ...]:
    """Every file of either, the main modules (whatever they are called) as one and first."""
    before = {_key(old, file.name): file.text for file in old.files}
    after = {_key(new, file.name): (file.name, file.text) for file in new.files}
    found = []
    for key in sorted(before.keys() | after.keys()):
        name, text = after.get(key, (key or old.entry, None))
        found.append(_file(name, before.get(key), text))
    return tuple(found)


def rows_of(old: Sequence[str], new: Sequence[str]) -> tuple[Row, ...]:
    """All lines of both, those removed and those added in their place beside each other."""
    rows: list[Row] = []
    i = j = 0
    for start_old, start_new, length in [*_blocks(old, new), (len(old), len(new), 0)]:
        rows.extend(_replaced(old, new, range(i, start_old), range(j, start_new)))
        rows.extend(
            Row(
                change=Change.SAME,
                old_number=start_old + k + 1,
                old=old[start_old + k],
                new_number=start_new + k + 1,
                new=new[start_new + k],
            )
            for k in range(length)
        )
        i, j = start_old + length, start_new + length
    return tuple(rows)


def _key(files: SubmittedFiles, name: str) -> str:
    """Main modules are the same file under any name, and sort first."""
    return "" if name == files.entry else name


def _file(name: str, old: str | None, new: str | None) -> FileDifference:
    if old == new:
        return FileDifference(name=name, change=FileChange.SAME)
    before, after = _lines(old), _lines(new)
    change = FileChange.CHANGED
    if old is None or new is None:
        change = FileChange.ADDED if old is None else FileChange.REMOVED
    cut = max(len(before), len(after)) > MOST_LINES
    rows = rows_of(before[:MOST_LINES], after[:MOST_LINES])
    return FileDifference(name=name, change=change, hunks=tuple(_hunks(rows)), cut=cut)


def _lines(text: str | None) -> list[str]:
    return text.removesuffix("\n").split("\n") if text else []


def _replaced(old: Sequence[str], new: Sequence[str], gone: range, come: range) -> Iterator[Row]:
    for i, j in zip_longest(gone, come):
        change = Change.CHANGED if i is not None and j is not None else Change.REMOVED
        yield Row(
            change=Change.ADDED if i is None else change,
            old_number=None if i is None else i + 1,
            old="" if i is None else old[i],
            new_number=None if j is None else j + 1,
            new="" if j is None else new[j],
        )


def _hunks(rows: Sequence[Row]) -> Iterator[Hunk]:
    kept = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.change is not Change.SAME:
            for near in range(max(0, at - CONTEXT), min(len(rows), at + CONTEXT + 1)):
                kept[near] = True
    skipped, part = 0, list[Row]()
    for row, keep in zip(rows, kept, strict=True):
        if keep:
            part.append(row)
            continue
        if part:
            yield Hunk(skipped=skipped, rows=tuple(part))
            skipped, part = 0, []
        skipped += 1
    if part:
        yield Hunk(skipped=skipped, rows=tuple(part))


Block = tuple[int, int, int]
"""Where equal lines begin in both, and how many they are."""


def _blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Runs of lines that both have, in order."""
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle = _myers(old[head : len(old) - tail], new[head : len(new) - tail])
    blocks = [(0, 0, head), *((head + i, head + j, 1) for i, j in middle)]
    return [*blocks, (len(old) - tail, len(new) - tail, tail)]


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines both begin with."""
    for count, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return count
    return min(len(one), len(other))


def _myers(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines that a shortest edit keeps; none where it takes more than MOST_CHANGES."""
    furthest = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_CHANGES) + 1):
        history.append(dict(furthest))
        for diagonal in range(-edits, edits + 1, 2):
            x = _step(furthest, diagonal, edits)
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            furthest[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _kept(history, len(old), len(new))
    return []


def _step(furthest: dict[int, int], diagonal: int, edits: int) -> int:
    """Where a path on this diagonal begins, after one line more was added or removed."""
    if diagonal == -edits or (diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]):
        return furthest[diagonal + 1]
    return furthest[diagonal - 1] + 1


def _kept(history: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The path back from the end, of which only the equal lines are wanted."""
    kept: list[tuple[int, int]] = []
    for edits in range(len(history) - 1, -1, -1):
        furthest, diagonal = history[edits], x - y
        begin = _step(furthest, diagonal, edits)
        while x > begin and y > begin - diagonal:
            x, y = x - 1, y - 1
            kept.append((x, y))
        if edits:
            down = diagonal == -edits or (
                diagonal != edits and furthest[diagonal - 1] < furthest[diagonal + 1]
            )
            x, y = (x, y - 1) if down else (x - 1, y)
    return kept[::-1]
