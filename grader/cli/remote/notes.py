"""What staff say about a submission and changed in it, below a report and as its page takes it."""

from __future__ import annotations

from grader.cli.remote.answers.courses import AssignmentText
from grader.cli.remote.answers.submissions import Adjustment, Comment, Detail
from grader.cli.remote.screens import about_words, change_words, points_words, say, say_text
from grader.domain.attempts import AttemptState
from grader.domain.report_reading import exact_points
from grader.domain.reviewing import AdjustmentKind
from grader.presentation.changes import Change, Request
from grader.presentation.remarks import Remark
from grader.presentation.words import counted


def say_why_again(submission: Detail, *, attempt: int) -> None:
    """Why a regrade made that attempt, and whether the points possible have changed by it."""
    attempts = {item.number: item for item in submission.attempts}
    shown = attempts[attempt]
    if not shown.because:
        return
    graded = [
        item for item in attempts.values() if item.number < attempt and item.state is AttemptState.GRADED
    ]
    before = max(graded, key=lambda item: item.number, default=shown)
    changed = ""
    if before.worth != shown.worth:
        worth = f"from {points_words(before.worth)} to {points_words(shown.worth)}"
        changed = f" The points possible have changed {worth}."
    say(f"Graded again: {shown.because.rstrip('.')}.{changed}")


def say_what_lateness_takes(submission: Detail, assignment: AssignmentText) -> None:
    """How many points count of one's own submission that was handed in late; nothing where all do."""
    if assignment.counts == submission.id and assignment.penalty:
        points, worth = points_words(assignment.points), points_words(assignment.worth)
        say(f"Handed in {counted(assignment.days_late, 'day')} late, so {points} of {worth} points count.")


def say_what_staff_say(submission: Detail) -> None:
    """Changes of points, comments, and answers to requests."""
    for change in submission.adjustments:
        ended = f" ({_ended(change)})" if _ended(change) else ""
        say(f"Points by {change.author} for {about_words(change.about)}: {_points(change)}{ended}")
        say_text(change.reason)
    for comment in submission.comments:
        say(f"{_byline(comment)}{_place(comment)}:")
        say_text(comment.text)
    for request in submission.requests:
        say(f"Regrade request about {about_words(request.about)}: {request.state}")
        if request.answer:
            say_text(f"{request.answered_by}: {request.answer}")


def changes_of(submission: Detail, *, counts: bool) -> tuple[Change, ...]:
    """What staff changed; a check is named only where the attempt in view counts."""
    return tuple(
        Change(
            about=change.about,
            points=exact_points(change.points),
            reason=change.reason,
            byline=f"{change.author}, {change.at:%Y-%m-%d %H:%M %Z}",
            sets=change.kind == AdjustmentKind.SET_CHECK,
            check_id=change.check_id if counts else None,
            ended=_ended(change),
        )
        for change in submission.adjustments
    )


def requests_of(submission: Detail) -> tuple[Request, ...]:
    """The requests for a regrade, as a page shows them."""
    return tuple(
        Request(
            about=asked.about,
            text=asked.text,
            state=asked.state,
            answer=asked.answer,
            answered_by=asked.answered_by,
        )
        for asked in submission.requests
    )


def remarks_of(submission: Detail) -> tuple[Remark, ...]:
    """The comments, as a page puts them beside the code."""
    return tuple(
        Remark(
            text=comment.text,
            byline=_byline(comment),
            file=comment.file,
            line=comment.line,
            check_id=comment.check_id,
            staff_only=comment.staff_only,
        )
        for comment in submission.comments
    )


def _ended(change: Adjustment) -> str:
    if change.revoked:
        return "taken back"
    return "replaced since" if change.replaced else ""


def _points(change: Adjustment) -> str:
    if change.kind == AdjustmentKind.SET_CHECK:
        return f"set to {points_words(change.points)}"
    return change_words(change.points)


def _byline(comment: Comment) -> str:
    kept = ", for staff only" if comment.staff_only else ""
    return f"{comment.author}, {comment.at:%Y-%m-%d %H:%M %Z}{kept}"


def _place(comment: Comment) -> str:
    if comment.file is not None and comment.line is not None:
        return f", line {comment.line} of {comment.file}"
    return f", {comment.check_id}" if comment.check_id else ""
