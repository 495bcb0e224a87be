"""`grader grades ...`: who has what."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Course, Server, complete_assignments


class Format(StrEnum):
    """What grades can be exported as."""

    GRADEBOOK = "gradebook"
    CANVAS = "canvas"
    MOODLE = "moodle"
    NBGRADER = "nbgrader"
    RESULTS_JSON = "results-json"
    """Gradescope's `results.json` of every graded submission of one assignment, in a zip."""
    ARCHIVE = "archive"
    """The whole course."""


Section = Annotated[
    str | None, typer.Option("--section", help="Only the students of this section.", show_default=False)
]


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(no_args_is_help=True, help="See and export grades.", rich_markup_mode="rich")
    group.command("show", epilog=examples("grader grades show", "grader grades show --student ada"))(show)
    group.command(
        "export",
        epilog=examples(
            "grader grades export --format moodle -o grades.csv",
            "grader grades export --format canvas --own-export from-canvas.csv -o grades.csv",
            "grader grades export --format results-json --assignment functional-core",
        ),
    )(export)
    app.add_typer(group, name="grades", rich_help_panel=Panel.INSTRUCTOR)


def show(
    *,
    student: Annotated[
        str | None,
        typer.Option("--student", metavar="LOGIN", help="One student, with all reasons.", show_default=False),
    ] = None,
    section: Section = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show the gradebook to staff; students see what they have themselves."""
    from grader.cli.remote.grades import show

    show(server, course=course, student=student, section=section, as_json=as_json)


def export(
    *,
    form: Annotated[Format, typer.Option("--format", "-f", help="What the file is for.")] = Format.GRADEBOOK,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", help="Where to.", show_default="here, by the server's name"
        ),
    ] = None,
    assignment: Annotated[
        list[str] | None,
        typer.Option(
            "--assignment",
            "-a",
            metavar="ASSIGNMENT",
            help="Only this one; may be given again.",
            show_default="all",
            autocompletion=complete_assignments,
        ),
    ] = None,
    section: Section = None,
    own_export: Annotated[
        Path | None,
        typer.Option(
            "--own-export",
            metavar="FILE",
            help="The gradebook as Canvas exports it, for its identities and titles.",
            show_default=False,
        ),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Write grades to a file: for people, Canvas, Moodle, nbgrader or Gradescope, or the whole course."""
    from grader.cli.remote.grades import Export, export

    wanted = Export(
        form=form, out=out, assignments=tuple(assignment or ()), section=section, own_export=own_export
    )
    export(server, wanted, course=course, as_json=as_json)
