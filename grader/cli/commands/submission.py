"""`grader submit`, `report`, `status`, `request`: work that goes through a queue, there or here."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import (
    AsJson,
    Check,
    Course,
    Local,
    Server,
    Submission,
    complete_assignments,
)


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.command(
        "submit",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader submit submission.py --assignment functional-core",
            "grader submit work.zip --assignment functional-core --course jax-2026 --wait",
        ),
    )(submit)
    app.command(
        "report",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader report 7f3c2a",
            "grader report functional-core/2 --html report.html",
            "grader report 7f3c2a --attempt 1 --json",
        ),
    )(report)
    app.command(
        "status",
        rich_help_panel=Panel.STUDENT,
        epilog=examples("grader status", "grader status --local --json"),
    )(status)
    app.command(
        "request",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader request functional-core/2 'My key is split on line 12.' --check walk.prng.keys"
        ),
    )(request)


def submit(  # noqa: PLR0913 - each is an option of its own
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
            "--assignment",
            "-a",
            metavar="SLUG",
            help="A published assignment.",
            show_default=False,
            autocompletion=complete_assignments,
        ),
    ],
    *,
    user: Annotated[
        str | None,
        typer.Option(
            "--user",
            metavar="NAME",
            help="Without a server: hand in as this user; default: your login name.",
            show_default=False,
        ),
    ] = None,
    wait: Annotated[
        bool, typer.Option("--wait", help="Watch the queue and print the report when it is there.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do not ask before handing in late; what it costs is said.")
    ] = False,
    course: Course = None,
    server: Server = None,
    local: Local = False,
    as_json: AsJson = False,
) -> None:
    """Hand in work for a published assignment and get a receipt.

    Goes to the server that you are logged in to, else to this machine's own database. Exit code 0: it is
    stored and will be graded; 1: it would have been late, and you said no; 2: it cannot be accepted, and
    why. That costs no attempt.
    """
    from grader.cli.remote.choosing import chosen_access, refuse_on_server, refuse_without_server

    access = chosen_access(server, local=local)
    if access is None:
        from grader.cli.handing_in import submit as submit_here

        refuse_without_server({"--course": course, "--json": as_json})
        submit_here(tuple(files), assignment=assignment, user=user, wait=wait, ask=not yes)
        return
    from grader.cli.remote.submissions import submit

    refuse_on_server({"--user": user})
    submit(
        access.server,
        paths=tuple(files),
        assignment=assignment,
        course=course,
        wait=wait,
        ask=not yes,
        as_json=as_json,
    )


def report(
    submission: Submission,
    *,
    attempt: Annotated[
        int | None,
        typer.Option(
            "--attempt",
            metavar="N",
            min=1,
            help="An earlier attempt.",
            show_default="the one that counts on a server, else the latest",
        ),
    ] = None,
    every_check: Annotated[
        bool,
        typer.Option(
            "--all",
            help="Without a server: also what students do not see yet. A server shows staff everything.",
        ),
    ] = False,
    as_json: AsJson = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="OUT", help="Also write the report as one HTML file.", show_default=False
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    local: Local = False,
) -> None:
    """Show what was found in a submission.

    Exit code 0: here is the report; 1: it is not graded yet.
    """
    from grader.cli.remote.choosing import chosen_access, refuse_on_server, refuse_without_server

    access = chosen_access(server, local=local)
    if access is None:
        from grader.cli.reporting import report as report_here

        refuse_without_server({"--course": course})
        report_here(submission, attempt=attempt, every_check=every_check, as_json=as_json, html=html)
        return
    from grader.cli.remote.reports import report

    refuse_on_server({"--all": every_check})
    report(access.server, typed=submission, course=course, attempt=attempt, as_json=as_json, html=html)


def status(
    *, course: Course = None, server: Server = None, local: Local = False, as_json: AsJson = False
) -> None:
    """Show your assignments on the server and what you have in them; without one, the queue here."""
    from grader.cli.remote.choosing import chosen_access, refuse_without_server

    access = chosen_access(server, local=local)
    if access is None:
        from grader.cli.reporting import status as status_here

        refuse_without_server({"--course": course})
        status_here(as_json=as_json)
        return
    from grader.cli.remote.submissions import status

    status(access.server, course=course, as_json=as_json)


def request(
    submission: Submission,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="What you think is wrong, and why.", show_default=False)
    ],
    *,
    check: Check = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Ask staff to look at a graded submission again; their answer will stand on its report."""
    from grader.cli.remote.submissions import request

    request(server, typed=submission, text=text, check=check, course=course, as_json=as_json)
