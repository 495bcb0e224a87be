"""The work of `grader review adjust`, `revoke`, `mark` and `again`: points, marks, and another attempt."""

from __future__ import annotations

from grader.cli.output import print_json
from grader.cli.remote.answers.review import Adjustment, Attempt, Dossier
from grader.cli.remote.client import connected
from grader.cli.remote.review.desk import Target, dossier_of, part_of, short_of, submission_of
from grader.cli.remote.screens import change_words, points_words, say
from grader.domain.reviewing import AdjustmentKind


def adjust(
    server: str | None, target: Target, *, points: str, check: str | None, reason: str, as_json: bool
) -> None:
    """Set a check to some points, or add points to the whole."""
    with connected(server) as client:
        work = dossier_of(client, target)
        body = {"points": points, "check_id": check, "reason": reason, "version": _seen(target, work)}
        reply = client.post("submissions", work.id, "adjustments", body=body)
        left = dossier_of(client, target)
    if as_json:
        print_json({"adjustment": reply.value})
        return
    made = reply.of(Adjustment)
    what = (
        f"{made.check_id} is set to {points_words(made.points)}"
        if made.kind is AdjustmentKind.SET_CHECK
        else f"{change_words(made.points)} for the whole"
    )
    say(f"Change {short_of(made.id)}: {what}. {_now(left)}")


def revoke(server: str | None, target: Target, *, typed: str, reason: str, as_json: bool) -> None:
    """Take a change of points back."""
    with connected(server) as client:
        work = dossier_of(client, target)
        found = part_of(work.adjustments, typed, what="change of points", work=work)
        body = {"reason": reason, "version": _seen(target, work)}
        reply = client.post("adjustments", found.id, "revoke", body=body)
        left = dossier_of(client, target)
    if as_json:
        print_json({"adjustment": reply.value})
        return
    say(f"Change {short_of(found.id)} is taken back. {_now(left)}")


def mark(server: str | None, target: Target, *, reviewed: bool, as_json: bool) -> None:
    """Mark a submission as reviewed, or as not."""
    with connected(server) as client:
        work = dossier_of(client, target)
        body = {"reviewed": reviewed, "version": _seen(target, work)}
        reply = client.put("submissions", work.id, "review", body=body)
    if as_json:
        print_json({"review": reply.value})
        return
    say(f"Submission {short_of(work.id)} is marked as {'reviewed' if reviewed else 'not reviewed'}.")


def again(server: str | None, target: Target, *, as_json: bool) -> None:
    """Have a submission graded once more, against the same version."""
    with connected(server) as client:
        submission_id = submission_of(client, target)
        reply = client.post("submissions", str(submission_id), "attempts")
    if as_json:
        print_json({"attempt": reply.value})
        return
    say(f"Attempt {reply.of(Attempt).number} is queued; it counts once it is graded.")


def _seen(target: Target, work: Dossier) -> int:
    return work.review.version if target.seen is None else target.seen


def _now(work: Dossier) -> str:
    return f"The points are {points_words(work.points)} / {points_words(work.max_points)} now."
