"""`grader review ...`: the group, and how to look; the modules `review_...` hold the rest."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples, review_points, review_saying, review_shared
from grader.cli.commands.options import (
    AsJson,
    Blind,
    Course,
    Server,
    Submission,
    complete_assignments,
    complete_codes,
)
from grader.domain.verdicts import Family, Verdict
from grader.services.reviewing.filters import Order, Reviewed


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Review submissions: look, comment, adjust points, answer requests.",
        rich_markup_mode="rich",
    )
    group.command(
        "queue",
        epilog=examples(
            "grader review queue --requested",
            "grader review queue -a functional-core --family prng --verdict failed --reviewed no",
            "grader review queue --blind --json",
        ),
    )(queue)
    group.command(
        "show",
        epilog=examples("grader review show 7f3c2a --code", "grader review show 7f3c2a --attempt 1 --json"),
    )(show)
    review_saying.register(group)
    review_points.register(group)
    review_shared.register(group)
    app.add_typer(group, name="review", rich_help_panel=Panel.INSTRUCTOR)


def queue(  # noqa: PLR0913 - each is an option of its own
    *,
    assignment: Annotated[
        str | None,
        typer.Option(
            "--assignment",
            "-a",
            metavar="SLUG",
            help="Of this assignment.",
            show_default="all",
            autocompletion=complete_assignments,
        ),
    ] = None,
    section: Annotated[
        str | None, typer.Option("--section", metavar="NAME", help="Of this section.", show_default="all")
    ] = None,
    criterion: Annotated[
        str | None,
        typer.Option("--criterion", metavar="ID", help="Where this criterion was lost.", show_default=False),
    ] = None,
    family: Annotated[
        Family | None,
        typer.Option("--family", help="Where this family of checks was lost.", show_default=False),
    ] = None,
    verdict: Annotated[
        Verdict | None,
        typer.Option(
            "--verdict",
            help="Where a check said so; beside --criterion, --family or --code: one of theirs.",
            show_default="any but passed",
        ),
    ] = None,
    code: Annotated[
        str | None,
        typer.Option(
            "--code",
            metavar="CODE",
            help="With this feedback.",
            show_default=False,
            autocompletion=complete_codes,
        ),
    ] = None,
    reviewed: Annotated[
        Reviewed | None,
        typer.Option("--reviewed", help="Marked as reviewed, or not yet.", show_default="both"),
    ] = None,
    requested: Annotated[bool, typer.Option("--requested", help="With an open regrade request.")] = False,
    flagged: Annotated[
        bool, typer.Option("--flagged", help="That a check asks a person to look at.")
    ] = False,
    needs_staff: Annotated[bool, typer.Option("--needs-staff", help="That could not be graded.")] = False,
    every: Annotated[
        bool, typer.Option("--every", help="Also submissions that a later one has followed.")
    ] = False,
    order: Annotated[Order, typer.Option("--order", help="Which come first.")] = Order.OLDEST,
    blind: Blind = False,
    limit: Annotated[int, typer.Option("--limit", metavar="N", min=1, max=200, help="At most so many.")] = 50,
    after: Annotated[
        str | None,
        typer.Option(
            "--after", metavar="SUBMISSION", help="Those that follow this one.", show_default="from the first"
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """List the submissions of a course that wait for a look."""
    from grader.cli.remote.review.queue import Wanted, queue

    wanted = Wanted(
        assignment=assignment,
        section=section,
        criterion=criterion,
        family=family,
        verdict=verdict,
        code=code,
        reviewed=reviewed,
        flagged=flagged,
        requested=requested,
        needs_staff=needs_staff,
        every=every,
        order=order,
        blind=blind,
        limit=limit,
        after=after,
    )
    queue(server, wanted, course=course, as_json=as_json)


def show(
    submission: Submission,
    *,
    attempt: Annotated[
        int | None,
        typer.Option(
            "--attempt", metavar="N", min=1, help="An earlier attempt.", show_default="the one that counts"
        ),
    ] = None,
    code: Annotated[
        bool, typer.Option("--code", help="Also the code, with its lines numbered and comments below them.")
    ] = False,
    blind: Blind = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show a submission with its report, requests, comments, and changes of points."""
    from grader.cli.remote.review.desk import Target
    from grader.cli.remote.review.showing import show

    target = Target(typed=submission, course=course, blind=blind)
    show(server, target, attempt=attempt, with_code=code, as_json=as_json)
