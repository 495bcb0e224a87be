"""`grader submit`, `grader report`, `grader status`: work that goes through the queue."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.command(
        "submit",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader submit submission.py --assignment functional-core",
            "grader submit work.zip --assignment functional-core --user ada --wait",
        ),
    )(submit)
    app.command(
        "report",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader report 7f3c2a",
            "grader report 7f3c2a --html report.html",
            "grader report 7f3c2a --attempt 1 --json",
        ),
    )(report)
    app.command("status", rich_help_panel=Panel.INSTRUCTOR, epilog=examples("grader status"))(status)


def submit(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE",
            help="A .py file, a notebook, a zip, a folder, or several .py files.",
            show_default=False,
        ),
    ],
    assignment: Annotated[
        str,
        typer.Option(
            "--assignment", "-a", metavar="SLUG", help="A published assignment.", show_default=False
        ),
    ],
    *,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="NAME",
            help="Hand in as this user; default: your login name.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Watch the queue and print the report when it is there.")
    ] = False,
) -> None:
    """Hand in work for a published assignment and get a receipt.

    Exit code 0: it is stored and will be graded; 2: it cannot be accepted, and why. That costs no attempt.
    """
    from grader.cli.handing_in import submit

    submit(tuple(files), assignment=assignment, user=user, wait=wait)


def report(
    submission: Annotated[
        str,
        typer.Argument(
            metavar="SUBMISSION", help="The id on the receipt, or its first letters.", show_default=False
        ),
    ],
    *,
    attempt: Annotated[
        int | None,
        typer.Option("--attempt", metavar="N", min=1, help="An earlier attempt.", show_default="the latest"),
    ] = None,
    every_check: Annotated[
        bool, typer.Option("--all", help="Show every check, also those students do not see yet. For staff.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a report.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="OUT", help="Also write the report as one HTML file.", show_default=False
        ),
    ] = None,
) -> None:
    """Show what was found in a submission.

    Exit code 0: here is the report; 1: it is not graded yet.
    """
    from grader.cli.reporting import report

    report(submission, attempt=attempt, every_check=every_check, as_json=as_json, html=html)


def status(
    *,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")] = False,
) -> None:
    """Show the queue and the latest submissions."""
    from grader.cli.reporting import status

    status(as_json=as_json)
