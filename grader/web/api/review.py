"""Reviews: the queue, comments, points, answers to requests."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Query

from grader.services.access import Actor
from grader.services.reviewing import adjusting, commenting, marking, requests
from grader.services.reviewing.opening import Dossier, open_submission, real_file
from grader.services.reviewing.places import Place
from grader.services.reviewing.queue import review_queue
from grader.web.addresses import AttemptNumber, CourseSlug
from grader.web.api.review_json import (
    Adjustment,
    AdjustmentWanted,
    AnswerWanted,
    Attempt,
    Comment,
    CommentChange,
    CommentWanted,
    Mark,
    Queue,
    Request,
    Review,
    Revocation,
    Submission,
    submission_json,
)
from grader.web.context import WebContext
from grader.web.dependencies import CurrentActor, Db, Web
from grader.web.reviewing import PageParams, QueueParams, blind_at, blind_in_course

router = APIRouter(tags=["review"])

Version = Annotated[int, Query(ge=1, le=2**31 - 1, description="The version that was seen.")]
Blindly = Annotated[bool, Query(description="Without names.")]


@router.get("/courses/{course}/review")
def queue(actor: CurrentActor, web: Web, course: CourseSlug, params: Annotated[PageParams, Query()]) -> Queue:
    """The submissions of a course that wait for a look."""
    found = review_queue(
        web.database,
        actor=actor,
        course=course,
        wanted=params.wanted,
        order=params.order,
        blind=blind_in_course(web.database, params, actor=actor, course=course, secret=web.secret),
        after=params.after,
        limit=params.limit,
    )
    return Queue.model_validate(found)


@router.get("/submissions/{submission_id}/review")
def submission(
    actor: CurrentActor,
    web: Web,
    submission_id: UUID,
    attempt: AttemptNumber = None,
    blind: Blindly = False,  # noqa: FBT002 - a query's parameter
) -> Submission:
    """A submission with everything that a reviewer looks at."""
    return submission_json(_opened(web, actor, submission_id, attempt=attempt, blind=blind))


@router.put("/submissions/{submission_id}/review")
def mark(actor: CurrentActor, web: Web, submission_id: UUID, body: Mark) -> Review:
    """Mark a submission as reviewed, or as not."""
    marking.mark_reviewed(
        web.database, actor=actor, submission_id=submission_id, seen=body.version, reviewed=body.reviewed
    )
    return Review.model_validate(_opened(web, actor, submission_id).review)


@router.post("/submissions/{submission_id}/attempts", status_code=202)
def grade_again(actor: CurrentActor, web: Web, submission_id: UUID) -> Attempt:
    """Have a submission graded once more, against the same version; returns the attempt that is queued."""
    marking.grade_again(web.database, actor=actor, submission_id=submission_id, secret=web.secret)
    return Attempt.model_validate(_opened(web, actor, submission_id).attempts[-1])


@router.post("/submissions/{submission_id}/comments", status_code=201)
def write_comment(actor: CurrentActor, database: Db, submission_id: UUID, body: CommentWanted) -> Comment:
    """Comment on a submission, on one of its lines, or on a check."""
    file = body.file
    if file is not None:
        file = real_file(database, actor=actor, submission_id=submission_id, shown=file)
    return Comment.model_validate(
        commenting.comment(
            database,
            actor=actor,
            submission_id=submission_id,
            text=body.text,
            place=Place(file=file, line=body.line, check_id=body.check_id),
            staff_only=body.staff_only,
        )
    )


@router.patch("/comments/{comment_id}")
def edit_comment(actor: CurrentActor, database: Db, comment_id: UUID, body: CommentChange) -> Comment:
    """Change a comment of mine."""
    return Comment.model_validate(
        commenting.edit(
            database,
            actor=actor,
            comment_id=comment_id,
            text=body.text,
            staff_only=body.staff_only,
            seen=body.version,
        )
    )


@router.delete("/comments/{comment_id}", status_code=204)
def delete_comment(actor: CurrentActor, database: Db, comment_id: UUID, version: Version) -> None:
    """Take a comment away."""
    commenting.delete(database, actor=actor, comment_id=comment_id, seen=version)


@router.post("/submissions/{submission_id}/adjustments", status_code=201)
def adjust(actor: CurrentActor, database: Db, submission_id: UUID, body: AdjustmentWanted) -> Adjustment:
    """Set a check to some points, or add points to the submission as a whole."""
    return Adjustment.model_validate(
        adjusting.adjust(
            database,
            actor=actor,
            submission_id=submission_id,
            change=body.change,
            reason=body.reason,
            seen=body.version,
        )
    )


@router.post("/adjustments/{adjustment_id}/revoke", status_code=201)
def revoke(actor: CurrentActor, database: Db, adjustment_id: UUID, body: Revocation) -> Adjustment:
    """Take an adjustment back."""
    return Adjustment.model_validate(
        adjusting.revoke(
            database, actor=actor, adjustment_id=adjustment_id, reason=body.reason, seen=body.version
        )
    )


@router.post("/requests/{request_id}/answer")
def answer(actor: CurrentActor, database: Db, request_id: UUID, body: AnswerWanted) -> Request:
    """Answer a student's request, with or without points."""
    return Request.model_validate(
        requests.answer(
            database,
            actor=actor,
            request_id=request_id,
            answer=requests.Answer(state=body.state, text=body.text, change=body.change),
            seen=body.version,
        )
    )


def _opened(
    web: WebContext,
    actor: Actor,
    submission_id: UUID,
    *,
    attempt: int | None = None,
    blind: bool = False,
) -> Dossier:
    """A submission for this reader, without names where they or the course want none."""
    params = QueueParams(blind=blind)
    reader = blind_at(web.database, params, actor=actor, submission_id=submission_id, secret=web.secret)
    return open_submission(
        web.database, actor=actor, submission_id=submission_id, attempt=attempt, blind=reader
    )
