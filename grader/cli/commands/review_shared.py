"""`grader review clusters`, `comment-cluster` and `bank ...`: what the reviewers of a course share."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import examples
from grader.cli.commands.options import AsJson, Assignment, Course, Seen, Server, complete_codes

Kept = Annotated[
    str,
    typer.Argument(metavar="COMMENT", help="Its title, or the first letters of its id.", show_default=False),
]


def register(group: typer.Typer) -> None:
    """Add the commands to the group, and the bank's own group."""
    group.command("clusters", epilog=examples("grader review clusters functional-core"))(clusters)
    group.command(
        "comment-cluster",
        epilog=examples("grader review comment-cluster functional-core 4be1 'Split the key first.'"),
    )(comment_cluster)
    bank = typer.Typer(no_args_is_help=True, help="Comments kept for use again.", rich_markup_mode="rich")
    bank.command(
        "list",
        epilog=examples("grader review bank list", "grader review bank list --code prng.key_reused"),
    )(list_)
    bank.command(
        "keep",
        epilog=examples(
            "grader review bank keep 'Key used twice' 'Split the key first.' --code prng.key_reused"
        ),
    )(keep)
    bank.command(
        "edit", epilog=examples("grader review bank edit 'Key used twice' --text 'Split it before use.'")
    )(edit)
    bank.command("drop", epilog=examples("grader review bank drop 'Key used twice'"))(drop)
    group.add_typer(bank, name="bank")


def clusters(
    assignment: Assignment, *, course: Course = None, server: Server = None, as_json: AsJson = False
) -> None:
    """List failures that are one and the same in several submissions."""
    from grader.cli.remote.review.shared import clusters

    clusters(server, slug=assignment, course=course, as_json=as_json)


def comment_cluster(
    assignment: Assignment,
    cluster: Annotated[
        str,
        typer.Argument(metavar="CLUSTER", help="Its key, or the first letters of it.", show_default=False),
    ],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What to say.", show_default=False)],
    *,
    staff_only: Annotated[bool, typer.Option("--staff-only", help="Students do not read it.")] = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Say the same to everybody with the same failure; again, it reaches only whoever is new."""
    from grader.cli.remote.review.shared import comment_cluster

    comment_cluster(
        server,
        slug=assignment,
        typed=cluster,
        text=text,
        staff_only=staff_only,
        course=course,
        as_json=as_json,
    )


def list_(
    *,
    code: Annotated[
        list[str] | None,
        typer.Option(
            "--code",
            metavar="CODE",
            help="Those for this feedback come first.",
            show_default=False,
            autocompletion=complete_codes,
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List the comments that a course keeps."""
    from grader.cli.remote.review.shared import show_bank

    show_bank(server, codes=tuple(code or ()), course=course, as_json=as_json)


def keep(
    title: Annotated[str, typer.Argument(metavar="TITLE", help="To find it by.", show_default=False)],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What it says.", show_default=False)],
    *,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            metavar="CODE",
            help="The feedback that it is offered for first.",
            show_default=False,
            autocompletion=complete_codes,
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Keep a comment for use again."""
    from grader.cli.remote.review.shared import Keep, keep

    keep(server, Keep(title=title, text=text, code=code), course=course, as_json=as_json)


def edit(
    comment: Kept,
    *,
    title: Annotated[str | None, typer.Option("--title", help="A new title.", show_default=False)] = None,
    text: Annotated[str | None, typer.Option("--text", help="New words.", show_default=False)] = None,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            metavar="CODE",
            help='The feedback that it is offered for first; "none" for no such.',
            show_default=False,
            autocompletion=complete_codes,
        ),
    ] = None,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change a kept comment; where it was used, it stays as it was."""
    from grader.cli.remote.review.shared import Keep, edit_kept

    wanted = Keep(title=title, text=text, code=code, seen=seen)
    edit_kept(server, typed=comment, wanted=wanted, course=course, as_json=as_json)


def drop(
    comment: Kept,
    *,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Keep a comment no longer."""
    from grader.cli.remote.review.shared import drop

    drop(server, typed=comment, seen=seen, course=course, as_json=as_json)
