"""A submission under review: the report beside the code, comments, points, requests."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Form
from starlette.responses import Response

from grader.services.reviewing import adjusting, bank, commenting, marking, requests
from grader.services.reviewing.adjusting import Change
from grader.services.reviewing.inputs import points_of
from grader.services.reviewing.requests import Answer
from grader.web.desk import AtDesk
from grader.web.review_forms import (
    AdjustForm,
    AnswerForm,
    BankForm,
    CommentForm,
    EditForm,
    MarkForm,
    RevokeForm,
    SeenForm,
)

router = APIRouter(prefix="/review/{submission_id}")


@router.get("")
def submission(desk: AtDesk) -> Response:
    """The submission, its report, and what staff have said and changed."""
    return desk.show()


@router.get("/next")
def following(desk: AtDesk) -> Response:
    """The next submission of the queue; the queue itself after the last."""
    return desk.go_on()


@router.post("/comments")
def write_comment(desk: AtDesk, form: Annotated[CommentForm, Form()]) -> Response:
    """Comment on a line, on a check, or on the whole."""

    def act() -> None:
        commenting.comment(
            desk.database,
            actor=desk.actor,
            submission_id=desk.submission_id,
            text=form.text,
            place=desk.place(form.at, form.check),
            staff_only=form.staff_only,
        )

    anchor = f"#at-{form.at}" if form.at else ""
    return desk.take("comment", act, form=form, done="Your comment is there.", anchor=anchor)


@router.post("/comments/{comment_id}/edit")
def edit_comment(desk: AtDesk, comment_id: UUID, form: Annotated[EditForm, Form()]) -> Response:
    """Change one's own comment."""

    def act() -> None:
        commenting.edit(
            desk.database,
            actor=desk.actor,
            comment_id=comment_id,
            text=form.text,
            staff_only=form.staff_only,
            seen=form.seen,
        )

    return desk.take(f"edit-{comment_id}", act, form=form, done="Your comment is changed.")


@router.post("/comments/{comment_id}/delete")
def delete_comment(desk: AtDesk, comment_id: UUID, form: Annotated[SeenForm, Form()]) -> Response:
    """Take a comment away."""

    def act() -> None:
        commenting.delete(desk.database, actor=desk.actor, comment_id=comment_id, seen=form.seen)

    return desk.take(f"edit-{comment_id}", act, form=form, done="The comment is gone.")


@router.post("/adjustments")
def adjust(desk: AtDesk, form: Annotated[AdjustForm, Form()]) -> Response:
    """Set a check to some points, or add points to the whole."""

    def act() -> None:
        adjusting.adjust(
            desk.database,
            actor=desk.actor,
            submission_id=desk.submission_id,
            change=Change(points=points_of(form.points), check_id=form.check or None),
            reason=form.reason,
            seen=form.seen,
        )

    return desk.take("adjust", act, form=form, done="The points are changed.", anchor="#points")


@router.post("/adjustments/{adjustment_id}/revoke")
def revoke(desk: AtDesk, adjustment_id: UUID, form: Annotated[RevokeForm, Form()]) -> Response:
    """Take an adjustment back."""

    def act() -> None:
        adjusting.revoke(
            desk.database, actor=desk.actor, adjustment_id=adjustment_id, reason=form.reason, seen=form.seen
        )

    name = f"revoke-{adjustment_id}"
    return desk.take(name, act, form=form, done="The adjustment is taken back.", anchor="#points")


@router.post("/requests/{request_id}")
def answer_request(desk: AtDesk, request_id: UUID, form: Annotated[AnswerForm, Form()]) -> Response:
    """Answer a student's request, with or without points."""

    def act() -> None:
        change = None
        if form.points.strip():
            change = Change(points=points_of(form.points), check_id=form.check or None)
        requests.answer(
            desk.database,
            actor=desk.actor,
            request_id=request_id,
            answer=Answer(state=form.state, text=form.answer, change=change),
            seen=form.seen,
        )

    return desk.take(f"answer-{request_id}", act, form=form, done="The request is answered.")


@router.post("/reviewed")
def mark(desk: AtDesk, form: Annotated[MarkForm, Form()]) -> Response:
    """Mark as reviewed or not; with `go_on` the next submission of the queue follows."""

    def act() -> None:
        marking.mark_reviewed(
            desk.database,
            actor=desk.actor,
            submission_id=desk.submission_id,
            seen=form.seen,
            reviewed=form.reviewed,
        )

    done = "Marked as reviewed." if form.reviewed else "Marked as not reviewed."
    return desk.take("reviewed", act, form=form, done=done, then=desk.go_on if form.go_on else None)


@router.post("/grade")
def grade_again(desk: AtDesk) -> Response:
    """Have it graded once more."""

    def act() -> None:
        marking.grade_again(
            desk.database, actor=desk.actor, submission_id=desk.submission_id, secret=desk.web.secret
        )

    return desk.take("grade", act, done="Another attempt is queued.", anchor="#attempts")


@router.post("/bank")
def keep_comment(desk: AtDesk, form: Annotated[BankForm, Form()]) -> Response:
    """Keep a comment for use again."""

    def act() -> None:
        bank.keep(
            desk.database,
            actor=desk.actor,
            course=desk.course(),
            title=form.title,
            text=form.text,
            code=form.code,
        )

    return desk.take("bank", act, form=form, done="The comment is kept for use again.")
