"""`grader assignment ...`: check, publish and list assignments."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples

Folder = Annotated[
    str,
    typer.Argument(
        metavar="DIR", help="The assignment's folder, or the slug of a shipped one.", show_default=False
    ),
]


def register(app: typer.Typer) -> None:
    """Add the group to the root."""
    group = typer.Typer(
        no_args_is_help=True, help="Check, publish and list assignments.", rich_markup_mode="rich"
    )
    group.command("check", epilog=examples("grader assignment check assignments/functional-core"))(check)
    group.command(
        "publish",
        epilog=examples(
            "grader assignment publish assignments/functional-core",
            "grader assignment publish functional-core --without-gate",
        ),
    )(publish)
    group.command("list", epilog=examples("grader assignment list"))(list_)
    app.add_typer(group, name="assignment", rich_help_panel=Panel.INSTRUCTOR)


def check(
    folder: Folder,
    *,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead of a table.")
    ] = False,
) -> None:
    """Run the publish gate: see whether the assignment grades as its manifest declares.

    The solution must earn full points in three runs that agree, the starter what the manifest declares, and
    each mutant must fail exactly the checks that it names. Exit code 0: it does; 1: it does not, and why.
    """
    from grader.cli.gatekeeping import check

    check(folder, as_json=as_json)


def publish(
    folder: Folder,
    *,
    without_gate: Annotated[
        bool,
        typer.Option(
            "--without-gate",
            help="Publish unchecked, at your own risk: wrong checks then cost students points.",
        ),
    ] = False,
) -> None:
    """Publish the folder's present content as a version that students can submit to; the gate runs first."""
    from grader.cli.gatekeeping import publish

    publish(folder, gated=not without_gate)


def list_() -> None:
    """List the assignments that are published here and those shipped with the grader."""
    from grader.cli.gatekeeping import list_assignments

    list_assignments()
