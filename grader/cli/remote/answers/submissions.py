"""Submissions: receipts, progress, what staff say."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from grader.domain.attempts import AttemptState
from grader.domain.results import Stage


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something to know about an upload; costs nothing."""

    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a late submission costs, in the server's words."""

    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """A submission that is stored; `price` is None in time."""

    id: str
    number: int
    received_at: datetime
    content_hash: str
    repeated: bool
    notices: list[Notice]
    price: Price | None = None
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One in a list of somebody's own."""

    id: str
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far grading is; `ahead` while it waits, `check` where the running one is open to the reader."""

    attempt: int
    state: AttemptState
    final: bool
    stage: Stage
    ahead: int | None
    running: int | None
    wait_s: float | None
    done: int
    total: int
    check: str


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A file as it was uploaded."""

    position: int
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What staff say."""

    text: str
    author: str
    at: datetime
    file: str | None
    line: int | None
    check_id: str | None
    staff_only: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """A change of points by staff; `replaced` where the check was set again since."""

    kind: str
    about: str
    check_id: str | None
    points: float
    reason: str
    author: str
    at: datetime
    revoked: bool
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request for a regrade."""

    id: str
    about: str
    text: str
    at: datetime
    state: str
    answer: str
    answered_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One grading run. `worth` is what its version is worth, `because` the reason of a regrade."""

    number: int
    state: AttemptState
    worth: float | None = None
    because: str = ""
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """A submission, and what became of it. `points` are of open checks, as staff left them."""

    id: str
    course: str
    timezone: str
    assignment: str
    student: str
    number: int
    received_at: datetime
    points: float | None
    attempts: list[Attempt]
    files: list[File]
    comments: list[Comment]
    adjustments: list[Adjustment]
    requests: list[Request]
