"""Options that many commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer


def complete_courses(ctx: typer.Context, incomplete: str) -> list[str]:
    """The courses of who is logged in, for the shell."""
    from grader.cli.remote.completing import courses  # noqa: PLC0415 - only when the shell asks

    return _beginning(courses(ctx.params.get("server")), incomplete)


def complete_assignments(ctx: typer.Context, incomplete: str) -> list[str]:
    """The assignments of a course, or of all of them, for the shell."""
    from grader.cli.remote.completing import assignments  # noqa: PLC0415 - only when the shell asks

    return _beginning(assignments(ctx.params.get("server"), ctx.params.get("course")), incomplete)


def complete_codes(incomplete: str) -> list[str]:
    """Feedback codes, for the shell."""
    from grader.domain.catalogue import CODES  # noqa: PLC0415 - only when the shell asks

    return _beginning(sorted(CODES), incomplete)


def _beginning(names: Sequence[str], incomplete: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The server to talk to.",
        show_default="GRADER_SERVER, else that of the last `grader login`",
    ),
]

Local = Annotated[
    bool, typer.Option("--local", help="Use this machine's own database, though you are logged in somewhere.")
]

Course = Annotated[
    str | None,
    typer.Option(
        "--course",
        "-c",
        metavar="COURSE",
        help="A course of yours on the server.",
        show_default="the only one",
        autocompletion=complete_courses,
    ),
]

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of text.")]

Assignment = Annotated[
    str,
    typer.Argument(
        metavar="ASSIGNMENT",
        help="The assignment's short name.",
        show_default=False,
        autocompletion=complete_assignments,
    ),
]

Submission = Annotated[
    str,
    typer.Argument(
        metavar="SUBMISSION",
        help="Its id or the first letters of it; on a server also ASSIGNMENT or ASSIGNMENT/NUMBER.",
        show_default=False,
    ),
]

Seen = Annotated[
    int | None,
    typer.Option(
        "--seen",
        metavar="N",
        min=0,
        help="The version that you decided upon; if somebody has changed it since, nothing is done.",
        show_default="the present one",
    ),
]

Blind = Annotated[
    bool, typer.Option("--blind", help="Without names, and shuffled: the same for you each time.")
]

Check = Annotated[
    str | None,
    typer.Option("--check", metavar="ID", help="The check that it is about.", show_default="the whole"),
]
