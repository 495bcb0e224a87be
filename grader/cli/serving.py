"""The work of `grader web`, and what a terminal is told of a web server."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from grader.cli.node import Node, open_node
from grader.cli.output import answers
from grader.services.accounts.invitations import reset_password_by_operator
from grader.services.accounts.setup import setup_code, setup_needed
from grader.services.seeding import load_secret
from grader.services.settings import load_settings
from grader.web.serve import Listening, default_port, serve


def web(*, host: str, port: int | None, processes: int) -> None:
    """Serve pages and API until SIGTERM or Ctrl-C."""
    settings = load_settings()
    listening = Listening(host=host, port=port or default_port(settings), processes=processes)
    say = answers()
    with open_node(settings) as node:
        say.print(
            f"Listening on {host}, port {listening.port}. Browsers use {settings.web.url}.", soft_wrap=True
        )
        say_how_to_begin(say, node, url=settings.web.url)
    serve(settings, listening)


def say_how_to_begin(say: Console, node: Node, *, url: str) -> None:
    """On a server without an account: where the first is made, and the code that this asks for."""
    if setup_needed(node.database):
        code = setup_code(load_secret(node.settings))
        say.print(f"Nobody has an account yet. Make the first one at {url}/setup", soft_wrap=True)
        say.print(f"  set-up code: [bold]{code}[/]")


def reset(login: str) -> None:
    """Print a link by which somebody sets a new password."""
    with open_node() as node:
        made = reset_password_by_operator(node.database, login=login)
        say = answers()
        say.print(f"{escape(node.settings.web.url)}{made.path}", soft_wrap=True)
        say.print(f"It works once, until {made.expires_at:%d %b %Y, %H:%M} UTC.", style="dim")
