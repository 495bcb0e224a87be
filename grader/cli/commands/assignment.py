"""`grader assignment ...`: check, publish and list assignments; their dates are in a module of their own."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from grader.cli.commands import Panel, dates, examples
from grader.cli.commands.options import AsJson, Assignment, Course, Local, Server

Folder = Annotated[
    str,
    typer.Argument(
        metavar="DIR", help="The assignment's folder, or the slug of a shipped one.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(
        no_args_is_help=True, help="Check, publish and look after assignments.", rich_markup_mode="rich"
    )
    group.command("check", epilog=examples("grader assignment check assignments/functional-core"))(check)
    group.command(
        "publish",
        epilog=examples(
            "grader assignment publish assignments/functional-core --course jax-2026 --draft",
            "grader assignment publish functional-core --local --without-gate",
        ),
    )(publish)
    group.command(
        "bundle",
        epilog=examples(
            "grader assignment bundle assignments/functional-core",
            "grader assignment bundle functional-core -o checks.zip",
        ),
    )(bundle)
    group.command("list", epilog=examples("grader assignment list"))(list_)
    group.command(
        "starter",
        epilog=examples(
            "grader assignment starter functional-core -o work/",
            "grader assignment starter functional-core --checks",
        ),
    )(starter)
    dates.register(group)
    app.add_typer(group, name="assignment", rich_help_panel=Panel.INSTRUCTOR)


def check(folder: Folder, *, as_json: AsJson = False) -> None:
    """Run the publish gate here: see whether the assignment grades as its manifest declares.

    The solution must earn full points in three runs that agree, the starter what the manifest declares, and
    each mutant must fail exactly the checks that it names. Exit code 0: it does; 1: it does not, and why.
    """
    from grader.cli.gatekeeping import check

    check(folder, as_json=as_json)


def bundle(
    folder: Folder,
    *,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to.", show_default="here, SLUG-checks.zip"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make what students download: the visible checks without solution and hidden checks, as a zip.

    Publishing does the same on the server. Exit code 0: written; 1: no check can be handed out, and why.
    """
    from grader.cli.bundling import bundle

    bundle(folder, out=out, as_json=as_json)


def publish(
    folder: Folder,
    *,
    without_gate: Annotated[
        bool,
        typer.Option(
            "--without-gate",
            help="Publish unchecked, at your own risk: wrong checks then cost students points. With --local.",
        ),
    ] = False,
    draft: Annotated[
        bool,
        typer.Option(
            "--draft", help="Students do not see it until `assignment dates --publish`. On a server."
        ),
    ] = False,
    course: Course = None,
    server: Server = None,
    local: Local = False,
    as_json: AsJson = False,
) -> None:
    """Publish the folder's present content as a version that students can submit to; the gate runs first.

    On a server a worker runs the gate, and this waits for it. Exit code 0: published, or nothing has changed;
    1: the gate stays shut, and why.
    """
    from grader.cli.remote.choosing import chosen_access, refuse_on_server, refuse_without_server

    access = chosen_access(server, local=local)
    if access is None:
        from grader.cli.gatekeeping import publish as publish_here

        refuse_without_server({"--draft": draft, "--course": course, "--json": as_json})
        publish_here(folder, gated=not without_gate)
        return
    from grader.cli.remote.publishing import publish

    refuse_on_server({"--without-gate": without_gate})
    publish(access.server, folder=folder, course=course, as_draft=draft, as_json=as_json)


def list_(
    *, course: Course = None, server: Server = None, local: Local = False, as_json: AsJson = False
) -> None:
    """List a course's assignments; without a server those published here, and those that are shipped."""
    from grader.cli.remote.choosing import chosen_access, refuse_without_server

    access = chosen_access(server, local=local)
    if access is None:
        from grader.cli.gatekeeping import list_assignments as list_here

        refuse_without_server({"--course": course, "--json": as_json})
        list_here()
        return
    from grader.cli.remote.publishing import list_assignments

    list_assignments(access.server, course=course, as_json=as_json)


def starter(
    assignment: Assignment,
    *,
    checks: Annotated[
        bool,
        typer.Option("--checks", help="Also the visible checks, to run them here with `grader check`."),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FILE", help="Where to.", show_default="here, by its own name"),
    ] = None,
    course: Course = None,
    server: Server = None,
    as_json: AsJson = False,
) -> None:
    """Fetch an assignment's starter files and its lesson, as a zip."""
    from grader.cli.remote.downloads import starter

    starter(server, slug=assignment, checks=checks, out=out, course=course, as_json=as_json)
