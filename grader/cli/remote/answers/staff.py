"""What instructors look after: dates, extensions, publishing, regrade plans."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from grader.domain.publication import PublicationState
from grader.domain.reviewing import PlanState
from grader.domain.scheduling import Counting, LateRule


@dataclass(frozen=True, slots=True, kw_only=True)
class Dates:
    """Dates (UTC) and rules of an assignment."""

    draft: bool
    opens_at: datetime | None
    due_at: datetime | None
    closes_at: datetime | None
    late_rule: LateRule
    late_share_per_day: float
    uses_grace_days: bool
    submission_limit: int | None
    cooldown_s: int
    counting: Counting
    released_at: datetime | None
    timezone: str
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Extension:
    """More time for one student."""

    id: str
    login: str
    due_at: datetime
    closes_at: datetime | None
    reason: str
    granted_by: str | None
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStep:
    """What the gate is doing."""

    number: int
    total: int
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateProblem:
    """Why the gate stays shut."""

    name: str
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A known-wrong program, and whether it fails exactly what it should."""

    name: str
    holds: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What the gate found."""

    passed: bool
    mutants: list[Mutant]
    problems: list[GateProblem]


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """An uploaded folder on its way to being a version."""

    id: str
    slug: str
    title: str
    state: PublicationState
    step: GateStep | None
    gate: Gate | None
    problem: str | None
    version_number: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanProgress:
    """How far a plan's attempts are."""

    total: int
    done: int
    failed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A regrade plan; `version` is what a decision on it has to name."""

    id: str
    assignment: str
    assignment_version: int
    reason: str
    state: PlanState
    progress: PlanProgress
    created_by: str | None
    created_at: datetime
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckChange:
    """One check that brings other points than before."""

    check_id: str
    cause: str
    delta: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """What a plan changes for one submission; points are None where nothing was graded."""

    login: str
    number: int
    state: str
    before: float | None
    after: float | None
    worth_before: float | None = None
    worth_after: float | None = None
    total_delta: float | None
    checks: list[CheckChange]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorthChange:
    """The points possible of so many submissions, where a plan changes them."""

    before: float
    after: float
    submissions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanChanges:
    """A plan with everything that it changes."""

    plan: Plan
    up: int
    down: int
    worth: list[WorthChange] = field(default_factory=list)
    rows: list[PlanRow]
