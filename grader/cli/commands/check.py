"""`grader check`: grade a file on this machine, with no database and no queue."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples


def register(app: typer.Typer) -> None:
    """Add the command to the root."""
    app.command(
        "check",
        rich_help_panel=Panel.STUDENT,
        epilog=examples(
            "grader check submission.py --assignment functional-core",
            "grader check work.ipynb --assignment functional-core-checks.zip --html report.html",
            "grader check submission.py --assignment ./my-assignment --all --json",
        ),
    )(check)


def check(
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
            metavar="SLUG|DIR|ZIP",
            help="An assignment's slug, its folder, or the checks that you have downloaded, zipped or not.",
            show_default=False,
        ),
    ],
    *,
    every_check: Annotated[
        bool, typer.Option("--all", help="Run every check, also those students do not see. For staff.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a report.")
    ] = False,
    seed: Annotated[
        str | None,
        typer.Option(
            "--seed",
            metavar="HEX",
            help="Replay the hidden inputs of an attempt. For staff.",
            show_default=False,
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="OUT", help="Also write the report as one HTML file.", show_default=False
        ),
    ] = None,
) -> None:
    """Grade your file here and now: the same checks and the same words as on the server.

    Exit code 0: every check that is shown passed; 1: at least one did not.
    """
    from grader.cli.checking import CheckRequest, run

    run(
        CheckRequest(
            paths=tuple(files),
            assignment=assignment,
            every_check=every_check,
            as_json=as_json,
            html=html,
            seed=seed,
        )
    )
