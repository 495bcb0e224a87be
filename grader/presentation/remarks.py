"""What staff say about a submission, as it stands beside a line, a check, or the whole report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One remark: about a line of a file (1-based), about a check, or, with neither, about the whole.

    `byline` says who wrote it and when.
    """

    text: str
    byline: str
    file: str | None = None
    line: int | None = None
    check_id: str | None = None
    staff_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """Remarks by where they stand; what belongs nowhere on this page is said about the whole."""

    by_line: Mapping[str, Mapping[int, tuple[Remark, ...]]]
    by_check: Mapping[str, tuple[Remark, ...]]
    general: tuple[Remark, ...]


def place(remarks: Iterable[Remark], *, lines: Mapping[str, int], checks: Collection[str]) -> Placed:
    """Sort remarks by place, for files of so many `lines` and the `checks` in view. No remark gets lost."""
    by_line: defaultdict[str, defaultdict[int, list[Remark]]] = defaultdict(lambda: defaultdict(list))
    by_check: defaultdict[str, list[Remark]] = defaultdict(list)
    general: list[Remark] = []
    for remark in remarks:
        file, line = remark.file, remark.line
        if file is not None and line is not None and 1 <= line <= lines.get(file, 0):
            by_line[file][line].append(remark)
        elif remark.check_id is not None and remark.check_id in checks:
            by_check[remark.check_id].append(remark)
        else:
            general.append(remark)
    return Placed(
        by_line={
            file: {line: tuple(said) for line, said in found.items()} for file, found in by_line.items()
        },
        by_check={check: tuple(said) for check, said in by_check.items()},
        general=tuple(general),
    )
