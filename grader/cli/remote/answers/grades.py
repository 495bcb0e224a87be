"""The gradebook."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """An assignment in the gradebook."""

    slug: str
    title: str
    max_score: float | None
    released: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What a student has in an assignment; None without graded work."""

    points: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A student's line."""

    login: str
    name: str
    section: str | None
    total: float
    cells: dict[str, Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """Who has how many points in what."""

    course: str
    assignments: list[Column]
    max_total: float
    students: list[Row]


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRecord(Cell):
    """What a student has in an assignment, and how it came about."""

    slug: str
    title: str
    max_score: float | None
    ledger: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """A student's record."""

    login: str
    name: str
    total: float
    grace_days: int
    grace_left: int
    assignments: list[AssignmentRecord]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unmatched:
    """What Canvas's own export and the gradebook do not have in common: logins, names, titles."""

    not_in_canvas: list[str]
    only_in_canvas: list[str]
    new_assignments: list[str]
