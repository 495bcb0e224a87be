"""Courses, their people, and their assignments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grader.cli.remote.answers.submissions import Price
from grader.domain.people import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """A course somebody is a member of."""

    slug: str
    title: str
    timezone: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """An assignment as a member has it; points are those of open checks."""

    slug: str
    title: str
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    extended: bool
    closed: bool
    draft: bool
    released: bool
    max_score: float
    open_score: float
    points: float | None
    worth: float | None = None
    """What `points` are out of; None from a server of before."""
    counts: str | None
    submissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What handing in now costs; `price` is None in time."""

    price: Price | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentText:
    """What an assignment is called, what it asks for, what handing in now costs, and what I have so far.

    `points` of `worth` are those of the submission that `counts`, less `penalty`, a share of them.
    """

    title: str
    entry: str
    functions: list[str]
    turn: Turn = Turn()
    counts: str | None = None
    points: float | None = None
    worth: float | None = None
    days_late: int = 0
    penalty: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """A course as a member has it."""

    slug: str
    title: str
    timezone: str
    role: Role
    archived: bool
    grace_days: int
    grace_days_left: int
    assignments: list[Assignment]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds in a course."""

    slug: str
    title: str
    timezone: str
    grace_days: int
    archived_at: datetime | None
    names_hidden: bool = False
    """Absent from a server of before."""
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Somebody as a roster writes them."""

    login: str
    name: str
    email: str | None
    role: Role
    student_number: str | None
    section: str | None
    extra_days: int
    has_account: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Person):
    """Somebody in the course; `version` is what a change of them has to name."""

    user_id: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """One field of a member that an import changes."""

    field: str
    old: str | int | None
    new: str | int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterChange:
    """What an import does to one line's person."""

    line: int
    kind: str
    member: Person
    differences: list[Difference]


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterProblem:
    """A line that cannot be used."""

    line: int
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterPreview:
    """What an import would do; importing has to name the fingerprint."""

    fingerprint: str
    columns: dict[str, str]
    ignored_columns: list[str]
    changes: list[RosterChange]
    missing: list[str]
    problems: list[RosterProblem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What an import did."""

    added: int
    changed: int
    removed: int
