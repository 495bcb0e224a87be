"""`grader roster ...`: the people of a course."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Course, Seen, Server
from grader.domain.people import Role


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(no_args_is_help=True, help="Bring people into a course.", rich_markup_mode="rich")
    group.command("list", epilog=examples("grader roster list --course jax-2026"))(list_)
    group.command(
        "import",
        epilog=examples("grader roster import students.csv", "grader roster import students.csv --apply"),
    )(import_)
    group.command(
        "set",
        epilog=examples(
            "grader roster set ada --section Monday --extra-days 2",
            "grader roster set ben --role ta --seen 3",
        ),
    )(set_)
    group.command("remove", epilog=examples("grader roster remove ada"))(remove)
    group.command(
        "invite", epilog=examples("grader roster invite ada ben", "grader roster invite --role ta")
    )(invite)
    app.add_typer(group, name="roster", rich_help_panel=Panel.INSTRUCTOR)


def list_(*, course: Course = None, server: Server = None, as_json: AsJson = False) -> None:
    """List a course's members."""
    from grader.cli.remote.roster import list_members

    list_members(server, course=course, as_json=as_json)


def import_(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A CSV file with a heading for each column.", show_default=False),
    ],
    *,
    apply: Annotated[
        bool, typer.Option("--apply", help="Import it; without, only a preview is shown.")
    ] = False,
    remove_missing: Annotated[
        bool, typer.Option("--remove-missing", help="Also take students out who are not in the file.")
    ] = False,
    skip_unusable: Annotated[
        bool, typer.Option("--skip-unusable", help="Import the other lines where some cannot be used.")
    ] = False,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what importing a roster would change, and do it with --apply.

    Exit code 0: every line can be used; 1: some cannot, and which.
    """
    from grader.cli.remote.roster import RosterImport, import_roster

    wanted = RosterImport(path=file, apply=apply, remove_missing=remove_missing, skip_unusable=skip_unusable)
    import_roster(server, wanted, course=course, as_json=as_json)


def set_(  # noqa: PLR0913 - each is an option of its own
    login: Annotated[str, typer.Argument(metavar="LOGIN", help="Whom to change.", show_default=False)],
    *,
    role: Annotated[Role | None, typer.Option("--role", help="Another role.", show_default=False)] = None,
    number: Annotated[
        str | None,
        typer.Option("--number", help="Their student number; '' for none.", show_default=False),
    ] = None,
    section: Annotated[
        str | None, typer.Option("--section", help="Their section; '' for none.", show_default=False)
    ] = None,
    extra_days: Annotated[
        int | None,
        typer.Option(
            "--extra-days", min=0, help="Days added to each of their deadlines.", show_default=False
        ),
    ] = None,
    seen: Seen = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Change what the roster says of a member; what is not named stays.

    `grader roster list --json` tells each member's version.
    """
    from grader.cli.remote.members import MemberChanges, set_member

    changes = MemberChanges(
        role=role, student_number=number, section=section, extra_days=extra_days, seen=seen
    )
    set_member(server, login=login, changes=changes, course=course, as_json=as_json)


def remove(
    login: Annotated[str, typer.Argument(metavar="LOGIN", help="Whom to remove.", show_default=False)],
    *,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Take somebody out of a course; what they handed in stays."""
    from grader.cli.remote.roster import remove_member

    remove_member(server, login=login, course=course, as_json=as_json)


def invite(
    logins: Annotated[
        list[str] | None,
        typer.Argument(metavar="LOGIN", help="Members who cannot log in yet.", show_default=False),
    ] = None,
    *,
    role: Annotated[
        Role | None,
        typer.Option("--role", help="Make one link, by which anybody joins as this.", show_default=False),
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=90, help="How long the links work.")] = 14,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Make links by which people come into a course. Whoever has a link can use it: send it to its person."""
    from grader.cli.remote.roster import invite

    invite(server, logins=tuple(logins or ()), role=role, course=course, days=days, as_json=as_json)
