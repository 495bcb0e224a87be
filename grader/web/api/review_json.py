"""How the API tells of reviews, made of what services return, and what it is sent."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from grader.domain.attempts import AttemptState
from grader.domain.report_json import view_to_json
from grader.domain.reviewing import AdjustmentKind, PlanState, RequestState
from grader.services.reviewing.adjusting import REASON_LIMIT, Change
from grader.services.reviewing.inputs import COMMENT_LIMIT, TITLE_LIMIT, points_of
from grader.services.reviewing.opening import Dossier
from grader.web.api.schemas import Answer, Body, Points
from grader.web.numbers import points

Seen = Annotated[int, Field(ge=0, le=2**31 - 1)]
Text = Annotated[str, Field(min_length=1, max_length=COMMENT_LIMIT)]
CheckId = Annotated[str, Field(min_length=1, max_length=300)]
FilePlace = Annotated[int, Field(ge=0, le=1_000_000)]
TypedPoints = (
    Annotated[str, Field(max_length=24)]
    | Annotated[int, Field(strict=True, ge=-(10**9), le=10**9)]
    | Annotated[float, Field(strict=True, ge=-1e9, le=1e9, allow_inf_nan=False)]
)
"""Points as a number, or as a text such as "7/2" where they must be exact."""


class QueueItem(Answer):
    """A submission that waits for a look. Where it is read blind, `login` and `section` are null."""

    submission_id: UUID
    assignment: str
    assignment_title: str
    student: str
    login: str | None
    section: str | None
    number: int
    received_at: datetime
    state: AttemptState
    points: Points | None
    max_points: Points | None
    adjusted_by: Points
    flags: int
    comments: int
    requested_at: datetime | None
    reviewed_at: datetime | None
    reviewed_by: str | None


class Queue(Answer):
    """A part of the queue; `after` begins the next one, null on the last."""

    items: tuple[QueueItem, ...]
    found: int
    waiting: int
    after: UUID | None


class PlaceAnswer(Answer):
    """A line of a file, a check, or neither: the whole."""

    file: str | None
    line: int | None
    check_id: str | None


class Comment(Answer):
    """What staff say; `version` is what a change of it has to name."""

    id: UUID
    author: str
    place: PlaceAnswer
    text: str
    staff_only: bool
    created_at: datetime
    edited_at: datetime | None
    version: int


class Adjustment(Answer):
    """One entry of the history of points."""

    id: UUID
    kind: AdjustmentKind
    check_id: str | None
    points: Points
    reason: str
    author: str | None
    created_at: datetime
    revokes_id: UUID | None
    revoked: bool
    replaced: bool
    holds: bool


class Request(Answer):
    """A student's request and its answer."""

    id: UUID
    submission_id: UUID
    check_id: str | None
    text: str
    created_at: datetime
    state: RequestState
    answer: str | None
    answered_by: str | None
    answered_at: datetime | None
    version: int


class Attempt(Answer):
    """One grading run; `plan` is the state of the regrade plan that made it."""

    id: UUID
    number: int
    version: int
    state: AttemptState
    score: Points | None
    max_score: Points | None
    finished_at: datetime | None
    failure_reason: str | None
    plan: PlanState | None
    counts: bool


class Review(Answer):
    """Where the review stands; a change of points has to name its `version`."""

    version: int
    reviewed_at: datetime | None
    reviewed_by: str | None


class SourceText(Answer):
    """One file as the grader reads it."""

    name: str
    text: str


class Submission(Answer):
    """A submission under review. `report` is that of the attempt numbered `shown`."""

    id: UUID
    course: str
    assignment: str
    student: str
    login: str | None
    number: int
    received_at: datetime
    attempts: tuple[Attempt, ...]
    shown: int | None
    earned: Points | None
    adjusted_by: Points
    points: Points | None
    max_points: Points | None
    review: Review
    comments: tuple[Comment, ...]
    adjustments: tuple[Adjustment, ...]
    requests: tuple[Request, ...]
    files: tuple[SourceText, ...]
    report: dict[str, Any] | None


class Member(Answer):
    """One submission of a cluster."""

    submission_id: UUID
    place: PlaceAnswer


class Cluster(Answer):
    """Failures that are one and the same; `shape` is the line without its author's own words."""

    key: str
    check_id: str
    code: str
    shape: str | None
    members: tuple[Member, ...]


class ClusterComment(Answer):
    """How many comments were written, and how many were there already."""

    written: int
    present: int


class KeptComment(Answer):
    """A comment of the course's bank."""

    id: UUID
    title: str
    text: str
    code: str | None
    version: int


class CommentWanted(Body):
    """A comment on a line (`file` and `line`), on a check, or, with neither, on the whole.

    A file goes by its name, or, for whoever reads blind, by its place among the files, from 0.
    """

    text: Text
    file: Annotated[str, Field(min_length=1, max_length=1000)] | FilePlace | None = None
    line: Annotated[int, Field(ge=1, le=10_000_000)] | None = None
    check_id: CheckId | None = None
    staff_only: bool = False


class CommentChange(Body):
    """A comment as it shall be, and the version that was seen."""

    text: Text
    staff_only: bool
    version: Seen


class AdjustmentWanted(Body):
    """A check set to some points, or, without one, points for the whole; the review's version as seen."""

    points: TypedPoints
    reason: Annotated[str, Field(min_length=1, max_length=REASON_LIMIT)]
    check_id: CheckId | None = None
    version: Seen

    @property
    def change(self) -> Change:
        return Change(points=points_of(self.points), check_id=self.check_id)


class Revocation(Body):
    """Why an adjustment is taken back, and the review's version as seen."""

    reason: Annotated[str, Field(min_length=1, max_length=REASON_LIMIT)]
    version: Seen


class Mark(Body):
    """Whether it has been reviewed, and the review's version as seen."""

    reviewed: bool
    version: Seen


class AnswerWanted(Body):
    """The answer to a request, its version as seen, and points where they change."""

    state: RequestState
    text: Text
    points: TypedPoints | None = None
    check_id: CheckId | None = None
    version: Seen

    @property
    def change(self) -> Change | None:
        if self.points is None:
            return None
        return Change(points=points_of(self.points), check_id=self.check_id)


class ClusterCommentWanted(Body):
    """One comment for a whole cluster."""

    text: Text
    staff_only: bool = False


class KeptCommentWanted(Body):
    """A comment to keep."""

    title: Annotated[str, Field(min_length=1, max_length=TITLE_LIMIT)]
    text: Text
    code: Annotated[str, Field(max_length=120)] | None = None


class KeptCommentChange(KeptCommentWanted):
    """A kept comment as it shall be, and the version that was seen."""

    version: Seen


def submission_json(dossier: Dossier) -> Submission:
    """The submission under review as the API tells it."""
    return Submission(
        id=dossier.submission_id,
        course=dossier.seat.course_slug,
        assignment=dossier.assignment,
        student=dossier.student,
        login=dossier.login,
        number=dossier.number,
        received_at=dossier.received_at,
        attempts=tuple(Attempt.model_validate(line) for line in dossier.attempts),
        shown=dossier.shown,
        earned=points(dossier.earned),
        adjusted_by=points(dossier.adjusted_by),
        points=points(dossier.points),
        max_points=points(dossier.max_points),
        review=Review.model_validate(dossier.review),
        comments=tuple(Comment.model_validate(item) for item in dossier.comments),
        adjustments=tuple(Adjustment.model_validate(item) for item in dossier.adjustments),
        requests=tuple(Request.model_validate(item) for item in dossier.requests),
        files=tuple(SourceText.model_validate(file) for file in dossier.source.files),
        report=None if dossier.view is None else view_to_json(dossier.view),
    )
