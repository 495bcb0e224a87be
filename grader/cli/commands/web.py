"""`grader web` and `grader account`: the web server, and people who are locked out of it."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.command(
        "web",
        rich_help_panel=Panel.OPERATOR,
        epilog=examples("grader web", "GRADER_URL=https://grader.example.edu grader web --processes 4"),
    )(web)
    account = typer.Typer(no_args_is_help=True, help="Help people to log in.", rich_markup_mode="rich")
    account.command("reset", epilog=examples("grader account reset ines"))(reset)
    app.add_typer(account, name="account", rich_help_panel=Panel.OPERATOR)


def web(
    *,
    host: Annotated[
        str, typer.Option("--host", help="The address to listen on; 0.0.0.0 is every one.")
    ] = "127.0.0.1",
    port: Annotated[
        int | None,
        typer.Option("--port", min=1, max=65535, help="By default that of GRADER_URL, or 8000."),
    ] = None,
    processes: Annotated[
        int, typer.Option("--processes", "--workers", min=1, max=64, help="How many processes answer.")
    ] = 1,
) -> None:
    """Serve the pages and the JSON API until stopped. It grades nothing: start a worker, too."""
    from grader.cli.serving import web

    web(host=host, port=port, processes=processes)


def reset(
    login: Annotated[str, typer.Argument(help="The name that the person logs in with.")],
) -> None:
    """Print a link by which somebody sets a new password.

    Whoever can run this could write the database, so it asks for no password.
    """
    from grader.cli.serving import reset

    reset(login)
