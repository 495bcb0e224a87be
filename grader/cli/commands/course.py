"""`grader course ...`: courses on a server."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Server, complete_courses

Slug = Annotated[
    str | None,
    typer.Argument(
        metavar="COURSE",
        help="A course of yours.",
        show_default="the only one",
        autocompletion=complete_courses,
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(no_args_is_help=True, help="Make and look after courses.", rich_markup_mode="rich")
    group.command("list", epilog=examples("grader course list"))(list_)
    group.command(
        "create",
        epilog=examples("grader course create jax-2026 --title 'JAX, autumn 2026' --timezone Europe/Zurich"),
    )(create)
    group.command("show", epilog=examples("grader course show", "grader course show jax-2026 --json"))(show)
    group.command(
        "settings",
        epilog=examples(
            "grader course settings jax-2026", "grader course settings jax-2026 --grace-days 3 --hide-names"
        ),
    )(settings)
    app.add_typer(group, name="course", rich_help_panel=Panel.INSTRUCTOR)


def list_(*, server: Server = None, as_json: AsJson = False) -> None:
    """List the courses that you are in."""
    from grader.cli.remote.courses import list_courses

    list_courses(server, as_json=as_json)


def create(
    slug: Annotated[
        str,
        typer.Argument(metavar="COURSE", help="Its short name, as in its address.", show_default=False),
    ],
    *,
    title: Annotated[str, typer.Option("--title", help="Its full name.", show_default=False)],
    timezone: Annotated[
        str, typer.Option("--timezone", metavar="ZONE", help="Whose clock its deadlines go by.")
    ] = "UTC",
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Make a course, with you as its instructor."""
    from grader.cli.remote.courses import create_course

    create_course(server, slug=slug, title=title, timezone=timezone, as_json=as_json)


def show(slug: Slug = None, *, server: Server = None, as_json: AsJson = False) -> None:
    """Show a course and its assignments."""
    from grader.cli.remote.courses import show_course

    show_course(server, typed=slug, as_json=as_json)


def settings(
    slug: Slug = None,
    *,
    title: Annotated[str | None, typer.Option("--title", help="A new full name.", show_default=False)] = None,
    timezone: Annotated[
        str | None,
        typer.Option(
            "--timezone", metavar="ZONE", help="Another clock for its deadlines.", show_default=False
        ),
    ] = None,
    grace_days: Annotated[
        int | None,
        typer.Option(
            "--grace-days", min=0, help="Late days each student has for nothing.", show_default=False
        ),
    ] = None,
    archived: Annotated[
        bool | None,
        typer.Option("--archive/--reopen", help="Close the course for changes, or open it again."),
    ] = None,
    names_hidden: Annotated[
        bool | None,
        typer.Option(
            "--hide-names/--show-names", help="Whether teaching assistants read without students' names."
        ),
    ] = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Show what holds in a course, or change it."""
    from grader.cli.remote.courses import SettingChanges, course_settings

    changes = SettingChanges(
        title=title,
        timezone=timezone,
        grace_days=grace_days,
        archived=archived,
        names_hidden=names_hidden,
    )
    course_settings(server, typed=slug, changes=changes, as_json=as_json)
