"""`grader review adjust`, `revoke`, `mark`, `again`: points, marks and another attempt for one submission."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import examples
from grader.cli.commands.options import AsJson, Check, Course, Seen, Server, Submission

Points = Annotated[
    str,
    typer.Option(
        "--points",
        metavar="POINTS",
        help="With --check: what that check is worth, from 0. Without: so many more for the whole, or fewer.",
        show_default=False,
    ),
]

Reason = Annotated[str, typer.Option("--reason", help="Why; the student reads it.", show_default=False)]


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command(
        "adjust",
        epilog=examples(
            "grader review adjust 7f3c2a --check walk.prng.keys --points 2 --reason 'The key is split.'",
            "grader review adjust 7f3c2a --points -1/2 --reason 'No docstring.' --seen 3",
        ),
    )(adjust)
    group.command(
        "revoke", epilog=examples("grader review revoke 7f3c2a 5d01 --reason 'Meant for somebody else.'")
    )(revoke)
    group.command(
        "mark", epilog=examples("grader review mark 7f3c2a", "grader review mark 7f3c2a --not-reviewed")
    )(mark)
    group.command("again", epilog=examples("grader review again 7f3c2a"))(again)


def adjust(
    submission: Submission,
    *,
    points: Points,
    reason: Reason,
    check: Check = None,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change points, with a reason; what you set holds whatever a later grading finds."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.points import adjust

    target = Target(typed=submission, course=course, seen=seen)
    adjust(server, target, points=points, check=check, reason=reason, as_json=as_json)


def revoke(
    submission: Submission,
    change: Annotated[
        str,
        typer.Argument(metavar="CHANGE", help="Its id, or the first letters of it.", show_default=False),
    ],
    *,
    reason: Reason,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Take a change of points back; the history keeps both."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.points import revoke

    target = Target(typed=submission, course=course, seen=seen)
    revoke(server, target, typed=change, reason=reason, as_json=as_json)


def mark(
    submission: Submission,
    *,
    reviewed: Annotated[
        bool, typer.Option("--reviewed/--not-reviewed", help="Whether it has been reviewed.")
    ] = True,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Mark a submission as reviewed, or as not."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.points import mark

    target = Target(typed=submission, course=course, seen=seen)
    mark(server, target, reviewed=reviewed, as_json=as_json)


def again(
    submission: Submission, *, course: Course = None, server: Server = None, as_json: AsJson = False
) -> None:
    """Have a submission graded once more, against the same version of its assignment."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.points import again

    again(server, Target(typed=submission, course=course), as_json=as_json)
