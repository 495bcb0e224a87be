"""`grader login`, `logout` and `whoami`: which server commands talk to, and as whom."""
# ruff: noqa: PLC0415 - commands import their work when called; see the package's docstring

from __future__ import annotations

from typing import Annotated

import typer

from grader.cli.commands import Panel, examples
from grader.cli.commands.options import AsJson, Server


def register(app: typer.Typer) -> None:
    """Add the commands to the root."""
    app.command(
        "login",
        rich_help_panel=Panel.ANYONE,
        epilog=examples(
            "grader login https://grader.example.edu",
            "grader login https://grader.example.edu --token - < token.txt",
        ),
    )(login)
    app.command("logout", rich_help_panel=Panel.ANYONE, epilog=examples("grader logout"))(logout)
    app.command("whoami", rich_help_panel=Panel.ANYONE, epilog=examples("grader whoami"))(whoami)


def login(
    url: Annotated[
        str, typer.Argument(metavar="URL", help="The address of your course's server.", show_default=False)
    ],
    *,
    name: Annotated[
        str | None,
        typer.Option("--name", help="Your login or e-mail address.", show_default="you are asked"),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            "--token",
            metavar="TOKEN",
            help="A token from your account's page instead of a password; - reads it from standard input.",
            show_default=False,
        ),
    ] = None,
    days: Annotated[int, typer.Option("--days", min=1, max=366, help="How long you stay logged in.")] = 120,
) -> None:
    """Log in to a server, which commands then talk to.

    Which one a command talks to: --local means this machine's own database; else --server, else the variable
    GRADER_SERVER (its token in GRADER_TOKEN), else the server of the last log-in, else this machine's own
    database. Your password is not kept: a token is, in a file that only you can read.
    """
    from grader.cli.remote.account import login

    login(url, name=name, token=token, days=days)


def logout(*, server: Server = None) -> None:
    """Forget the token, and make it worthless."""
    from grader.cli.remote.account import logout

    logout(server)


def whoami(*, server: Server = None, as_json: AsJson = False) -> None:
    """Say which server commands talk to, and as whom."""
    from grader.cli.remote.account import whoami

    whoami(server, as_json=as_json)
