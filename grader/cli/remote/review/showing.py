"""The work of `grader review show`: the report, the code, and what staff have said and changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from fractions import Fraction
from zoneinfo import ZoneInfo

from rich.text import Text

from grader.cli.output import answers, print_json
from grader.cli.remote.answers.review import Adjustment, Comment, Dossier
from grader.cli.remote.client import Client, connected
from grader.cli.remote.courses import assignment_text, the_course
from grader.cli.remote.reports import understood
from grader.cli.remote.review.desk import Target, short_of, submission_of
from grader.cli.remote.screens import (
    LONGEST_LINE,
    change_words,
    points_words,
    say,
    say_text,
    show_table,
    when,
    zone_of,
)
from grader.domain.report_reading import exact_points
from grader.domain.reviewing import AdjustmentKind, RequestState
from grader.domain.submission import SourceFile, SubmittedFiles
from grader.domain.text import printable
from grader.domain.view import ReportView
from grader.presentation.changes import Change, set_points
from grader.presentation.page import Heading
from grader.presentation.terminal import report as full_report
from grader.presentation.words import VERDICT_WORDS, left_text


def show(server: str | None, target: Target, *, attempt: int | None, with_code: bool, as_json: bool) -> None:
    """Print a submission with everything that a reviewer looks at."""
    with connected(server) as client:
        wanted = str(submission_of(client, target))
        reply = client.get("submissions", wanted, "review", attempt=attempt, blind=target.blind)
        if as_json:
            print_json({"submission": reply.value})
            return
        work = reply.of(Dossier)
        zone = zone_of(the_course(client, work.course).timezone)
        _show_report(client, work, zone)
    if with_code:
        _show_code(work, zone)
    _show_requests(work, zone)
    for comment in work.comments:
        _show_comment(comment, zone)
    for change in work.adjustments:
        _show_adjustment(change, zone)
    _show_attempts(work)
    _show_standing(work, zone)


def _show_report(client: Client, work: Dossier, zone: ZoneInfo) -> None:
    if work.report is None:
        say(f"{work.student}, {work.assignment}, submission {work.number}: there is no report.")
        return
    asked = assignment_text(client, course=work.course, slug=work.assignment)
    heading = Heading(
        title=asked.title,
        student=work.student,
        submitted_at=work.received_at.astimezone(zone),
        submission=work.number,
        attempt=work.shown,
        adjusted=_adjusted(work),
    )
    names = [file.name for file in work.files]
    source = SubmittedFiles(
        entry=asked.entry if asked.entry in names or not names else names[0],
        files=tuple(SourceFile(name=file.name, text=file.text) for file in work.files),
    )
    changes = tuple(_change(item, zone) for item in work.adjustments if item.revokes_id is None)
    view = understood(work.report, server=client.server)
    counting = changes if _counts(work) else ()
    answers().print(full_report(view, source=source, heading=heading, changes=counting))
    _show_checks(view, set_points(counting))


def _show_checks(view: ReportView, left: Mapping[str, Fraction]) -> None:
    """The checks by the ids that other commands take, with the points that staff left of them."""
    rows = [
        (
            check.id,
            VERDICT_WORDS[check.verdict].label,
            left_text(
                left.get(check.id, check.earned),
                check.points,
                found=check.earned,
                changed=check.id in left,
            ),
        )
        for check in view.checks
    ]
    say("")
    show_table(("Check", "Verdict", "Points"), rows, empty="It has no checks.")


def _counts(work: Dossier) -> bool:
    """Whether the attempt in view is the one that counts: what staff set holds for no other."""
    return any(item.counts and item.number == work.shown for item in work.attempts)


def _adjusted(work: Dossier) -> Fraction | None:
    changed = work.points is not None and work.adjusted_by and _counts(work)
    return exact_points(work.points) if changed and work.points is not None else None


def _change(item: Adjustment, zone: ZoneInfo) -> Change:
    return Change(
        about=item.check_id or "",
        points=exact_points(item.points),
        reason=item.reason,
        byline=f"{item.author or 'the system'}, {when(item.created_at, zone)}",
        sets=item.kind is AdjustmentKind.SET_CHECK,
        check_id=item.check_id,
        ended=_ended(item),
    )


def _show_code(work: Dossier, zone: ZoneInfo) -> None:
    said = defaultdict(list)
    for comment in work.comments:
        said[comment.place.file, comment.place.line].append(comment)
    for position, file in enumerate(work.files):
        say("")
        say(f"File {position}: {file.name}")
        for number, line in enumerate(file.text.removesuffix("\n").split("\n"), start=1):
            shown = printable(line, limit=LONGEST_LINE)
            answers().print(Text(f"{number:5}  {shown}"), soft_wrap=True)
            for comment in said[file.name, number]:
                say(f"^ {comment.author}, {when(comment.created_at, zone)}: {comment.text}", indent=7)


def _show_requests(work: Dossier, zone: ZoneInfo) -> None:
    for request in work.requests:
        about = request.check_id or "the submission as a whole"
        say("")
        say(f"Regrade request {short_of(request.id)} about {about}, {when(request.created_at, zone)}:")
        say_text(request.text)
        if request.state is RequestState.OPEN:
            say(f"Open: grader review answer {short_of(work.id)} 'Your answer.' --accept (or --decline)")
        elif request.answer:
            say(f"{request.state.value.capitalize()} by {request.answered_by or 'staff'}:")
            say_text(request.answer)
        else:
            say(request.state.value.capitalize())


def _show_comment(comment: Comment, zone: ZoneInfo) -> None:
    kept = ", for staff only" if comment.staff_only else ""
    edited = ", edited" if comment.edited_at else ""
    at = when(comment.created_at, zone)
    say("")
    say(f"Comment {short_of(comment.id)} by {comment.author}, {at}{edited}{kept}{_place(comment)}:")
    say_text(comment.text)


def _place(comment: Comment) -> str:
    place = comment.place
    if place.file is not None and place.line is not None:
        return f", on line {place.line} of {place.file}"
    return f", on {place.check_id}" if place.check_id else ""


def _show_adjustment(item: Adjustment, zone: ZoneInfo) -> None:
    ended = f" ({_ended(item)})" if _ended(item) else ""
    by = f"by {item.author or 'the system'}, {when(item.created_at, zone)}"
    say("")
    if item.revokes_id is not None:
        say(f"Change {short_of(item.revokes_id)} was taken back {by}:")
    elif item.kind is AdjustmentKind.SET_CHECK:
        say(f"Change {short_of(item.id)}: {item.check_id} set to {points_words(item.points)} {by}{ended}:")
    else:
        say(f"Change {short_of(item.id)}: {change_words(item.points)} for the whole {by}{ended}:")
    say_text(item.reason)


def _ended(item: Adjustment) -> str:
    if item.revoked:
        return "taken back"
    return "replaced since" if item.replaced else ""


def _show_attempts(work: Dossier) -> None:
    if len(work.attempts) == 1 and work.attempts[0].counts:
        return
    rows = [
        (
            item.number,
            item.version,
            item.state.value.replace("_", " "),
            f"{points_words(item.score)} / {points_words(item.max_score)}",
            "yes" if item.counts else "",
            item.failure_reason or (f"regrade plan: {item.plan.value}" if item.plan else ""),
        )
        for item in work.attempts
    ]
    say("")
    show_table(("Attempt", "Version", "State", "Found", "Counts", "Why"), rows, empty="No attempt yet.")


def _show_standing(work: Dossier, zone: ZoneInfo) -> None:
    review = work.review
    marked = "Not reviewed yet."
    if review.reviewed_at is not None:
        marked = f"Reviewed by {review.reviewed_by or 'staff'}, {when(review.reviewed_at, zone)}."
    staff = f" ({change_words(work.adjusted_by)} by staff)" if work.adjusted_by else ""
    points = f"{points_words(work.points)} / {points_words(work.max_points)}{staff}, before lateness"
    say("")
    say(f"Submission {short_of(work.id)}: {points}. {marked}")
    say(f"To change points as you see them here, and not as somebody else left them: --seen {review.version}")
