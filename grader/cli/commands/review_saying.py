"""`grader review comment`, `edit`, `delete`, `answer`: what staff say to one student."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import examples
from grader.cli.commands.options import AsJson, Blind, Check, Course, Seen, Server, Submission
from grader.domain.errors import InvalidInput
from grader.domain.reviewing import RequestState

StaffOnly = Annotated[bool, typer.Option("--staff-only", help="Students do not read it.")]
CommentId = Annotated[
    str, typer.Argument(metavar="COMMENT", help="Its id, or the first letters of it.", show_default=False)
]


def register(group: typer.Typer) -> None:
    """Add the commands to the group."""
    group.command(
        "comment",
        epilog=examples(
            "grader review comment 7f3c2a 'Split the key before you draw.' --line 12",
            "grader review comment 7f3c2a --kept 'Key used twice' --check walk.prng.keys",
        ),
    )(comment)
    group.command(
        "edit",
        epilog=examples(
            "grader review edit 7f3c2a 91be 'Split the key first.'",
            "grader review edit 7f3c2a 91be --for-students",
        ),
    )(edit)
    group.command("delete", epilog=examples("grader review delete 7f3c2a 91be"))(delete)
    group.command(
        "answer",
        epilog=examples(
            "grader review answer 7f3c2a 'You are right.' --accept --check walk.prng.keys --points 2",
            "grader review answer 7f3c2a 'Line 12 uses the key again.' --decline",
        ),
    )(answer)


def comment(  # noqa: PLR0913 - each is an option of its own
    submission: Submission,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="What to say.", show_default=False)
    ] = None,
    *,
    kept: Annotated[
        str | None,
        typer.Option(
            "--kept", metavar="TITLE", help="Say what the bank keeps under this title.", show_default=False
        ),
    ] = None,
    line: Annotated[
        int | None,
        typer.Option("--line", metavar="N", min=1, help="The line that it is about.", show_default=False),
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file",
            metavar="NAME",
            help="The line's file, or its place from 0.",
            show_default="the only one",
        ),
    ] = None,
    check: Check = None,
    staff_only: StaffOnly = False,
    blind: Blind = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Comment on a line, on a check, or on the whole; students read it at once."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.saying import Spot, Words, comment

    target = Target(typed=submission, course=course, blind=blind)
    words = Words(text=text, kept=kept, staff_only=staff_only)
    comment(server, target, words, Spot(line=line, file=file, check=check), as_json=as_json)


def edit(
    submission: Submission,
    comment: CommentId,
    text: Annotated[
        str | None, typer.Argument(metavar="[TEXT]", help="Its new words.", show_default="as they are")
    ] = None,
    *,
    staff_only: Annotated[
        bool | None,
        typer.Option("--staff-only/--for-students", help="Who reads it.", show_default="as it is"),
    ] = None,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a comment of yours."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.saying import edit

    target = Target(typed=submission, course=course, seen=seen)
    edit(server, target, typed=comment, text=text, staff_only=staff_only, as_json=as_json)


def delete(
    submission: Submission,
    comment: CommentId,
    *,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Take a comment away; the audit record keeps what it said."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.saying import delete

    delete(server, Target(typed=submission, course=course, seen=seen), typed=comment, as_json=as_json)


def answer(  # noqa: PLR0913 - each is an option of its own
    submission: Submission,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Your answer.", show_default=False)],
    *,
    accept: Annotated[
        bool | None,
        typer.Option("--accept/--decline", help="Whether the student is right.", show_default=False),
    ] = None,
    points: Annotated[
        str | None,
        typer.Option(
            "--points",
            metavar="POINTS",
            help="With acceptance, as for `adjust`: of --check, else for the whole.",
            show_default="none change",
        ),
    ] = None,
    check: Check = None,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Answer the open regrade request of a submission, with or without points."""
    if accept is None:
        raise InvalidInput("--accept", "an answer accepts or declines.", "Give --accept or --decline.")
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.saying import Answer, answer

    state = RequestState.ACCEPTED if accept else RequestState.DECLINED
    target = Target(typed=submission, course=course, seen=seen)
    wanted = Answer(state=state, text=text, points=points, check=check)
    answer(server, target, wanted, as_json=as_json)
