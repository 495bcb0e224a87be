"""Reviews: the queue, a submission on the desk, what staff say, and what they share."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from grader.domain.attempts import AttemptState
from grader.domain.reviewing import AdjustmentKind, PlanState, RequestState


@dataclass(frozen=True, slots=True, kw_only=True)
class QueueItem:
    """A submission that waits for a look. `login` and `section` are None where it is read blind."""

    submission_id: str
    assignment: str
    student: str
    login: str | None
    section: str | None
    number: int
    received_at: datetime
    state: AttemptState
    points: float | None
    max_points: float | None
    adjusted_by: float
    flags: int
    comments: int
    requested_at: datetime | None
    reviewed_at: datetime | None
    reviewed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A part of the queue; `after` begins the next one, None on the last."""

    items: list[QueueItem]
    found: int
    waiting: int
    after: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line of a file, a check, or neither: the whole."""

    file: str | None
    line: int | None
    check_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What staff say; a change has to name its `version`."""

    id: str
    author: str
    place: Place
    text: str
    staff_only: bool
    created_at: datetime
    edited_at: datetime | None
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjustment:
    """One entry of the history of points."""

    id: str
    kind: AdjustmentKind
    check_id: str | None
    points: float
    reason: str
    author: str | None
    created_at: datetime
    revokes_id: str | None
    revoked: bool
    replaced: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A student's request and its answer; answering has to name its `version`."""

    id: str
    check_id: str | None
    text: str
    created_at: datetime
    state: RequestState
    answer: str | None
    answered_by: str | None
    version: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One grading run; `version` is the assignment's, `plan` the state of the plan that made it."""

    number: int
    version: int
    state: AttemptState
    score: float | None
    max_score: float | None
    failure_reason: str | None
    plan: PlanState | None
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """Where the review stands; a change of points has to name its `version`."""

    version: int
    reviewed_at: datetime | None
    reviewed_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """One file as the grader reads it."""

    name: str
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """A submission under review. `report` is that of the attempt numbered `shown`."""

    id: str
    course: str
    assignment: str
    student: str
    number: int
    received_at: datetime
    attempts: list[Attempt]
    shown: int | None
    earned: float | None
    adjusted_by: float
    points: float | None
    max_points: float | None
    review: Review
    comments: list[Comment]
    adjustments: list[Adjustment]
    requests: list[Request]
    files: list[SourceText]
    report: dict[str, Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One submission of a cluster."""

    submission_id: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Failures that are one and the same; `shape` is the line without its author's own words."""

    key: str
    check_id: str
    code: str
    shape: str | None
    members: list[Member]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterComment:
    """How many comments were written, and how many were there already."""

    written: int
    present: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptComment:
    """A comment of the course's bank; a change has to name its `version`."""

    id: str
    title: str
    text: str
    code: str | None
    version: int
