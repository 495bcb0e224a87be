"""How the API tells of submissions, made of what services return."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from grader.domain.attempts import AttemptState
from grader.domain.difference import Change, FileChange
from grader.domain.results import Stage
from grader.domain.reviewing import AdjustmentKind, RequestState
from grader.services.student.progress import ProgressNow
from grader.services.student.reports import SubmissionReport
from grader.web.api.coursework_json import Hidden, hidden_json
from grader.web.api.schemas import Answer, Points
from grader.web.numbers import points


class Attempt(Answer):
    """One grading run; `failure` is empty for everybody but staff.

    `worth` is what its version is worth in all; `because` the reason of the regrade that made it, or empty.
    """

    number: int
    version: int
    worth: Points
    because: str
    state: AttemptState
    queued_at: datetime
    finished_at: datetime | None
    counts: bool
    failure: str


class File(Answer):
    """One file as it was uploaded; `position` is what it is fetched by."""

    position: int
    name: str
    size: int
    sha256: str


class Comment(Answer):
    """What staff say about a line, a check, or the whole."""

    id: UUID
    text: str
    author: str
    at: datetime
    edited: bool
    file: str | None
    line: int | None
    check_id: str | None
    staff_only: bool


class Adjustment(Answer):
    """A change of points by staff; `replaced` where the check was set again since."""

    kind: AdjustmentKind
    about: str
    check_id: str | None
    points: float
    reason: str
    author: str
    at: datetime
    revoked: bool
    replaced: bool


class Request(Answer):
    """A request for a regrade; `version` is what taking it back has to name."""

    id: UUID
    about: str
    text: str
    at: datetime
    state: RequestState
    answer: str
    answered_by: str
    answered_at: datetime | None
    version: int


class SubmissionDetail(Answer):
    """A submission, and what became of it. Points are of open checks, as adjusted, before lateness."""

    id: UUID
    course: str
    timezone: str
    assignment: str
    student: str
    number: int
    received_at: datetime
    content_hash: str
    points: float | None
    counts: bool
    hidden: list[Hidden]
    attempts: list[Attempt]
    files: list[File]
    comments: list[Comment]
    adjustments: list[Adjustment]
    requests: list[Request]


class Progress(Answer):
    """How far grading is; `ahead` and `wait_s` while it waits, `check` where the running one is open."""

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


class Row(Answer):
    """Two lines beside each other; a number is null where a side has none."""

    change: Change
    old_number: int | None
    old: str
    new_number: int | None
    new: str


class Hunk(Answer):
    """Rows that belong together, after so many equal ones."""

    skipped: int
    rows: list[Row]


class FileDifference(Answer):
    """What changed in one file."""

    name: str
    change: FileChange
    added: int
    removed: int
    cut: bool
    hunks: list[Hunk]


class Difference(Answer):
    """What changed from the submission numbered `old` to the one numbered `new`."""

    old: int
    new: int
    files: list[FileDifference]


class Key(Answer):
    """What receipts of this server are verified with."""

    algorithm: str
    key_id: str
    key: str


def progress_json(now: ProgressNow) -> Progress:
    """How far grading is."""
    return Progress(
        attempt=now.attempt,
        state=now.state,
        final=now.final,
        stage=now.progress.stage,
        ahead=now.place.ahead if now.place else None,
        running=now.place.running if now.place else None,
        wait_s=now.place.wait_s if now.place else None,
        done=now.progress.done,
        total=now.progress.total,
        check=now.check,
    )


def submission_detail(found: SubmissionReport) -> SubmissionDetail:
    """A submission as its reader may know it."""
    return SubmissionDetail(
        id=found.submission_id,
        course=found.seat.course_slug,
        timezone=found.seat.timezone,
        assignment=found.item.slug,
        student=found.student_login,
        number=found.number,
        received_at=found.received_at,
        content_hash=found.content_hash,
        points=points(found.points),
        counts=found.counts,
        hidden=hidden_json(found.item.hidden),
        attempts=[Attempt.model_validate(entry) for entry in found.attempts],
        files=[File.model_validate(entry) for entry in found.files],
        comments=[Comment.model_validate(note) for note in found.notes.comments],
        adjustments=[
            Adjustment(
                kind=note.kind,
                about=note.about,
                check_id=note.check_id,
                points=points(note.points),
                reason=note.reason,
                author=note.author,
                at=note.at,
                revoked=note.revoked,
                replaced=note.replaced,
            )
            for note in found.notes.adjustments
        ],
        requests=[Request.model_validate(note) for note in found.notes.requests],
    )
