"""The work of `grader login`, `logout` and `whoami`."""

from __future__ import annotations

import platform
import sys
from datetime import datetime

import typer

from grader.cli.output import asides, print_json
from grader.cli.remote.addresses import server_address
from grader.cli.remote.answers.accounts import Me, NewToken, Token
from grader.cli.remote.choosing import Access, chosen_server, required_access
from grader.cli.remote.client import Client, client_of
from grader.cli.remote.logins import Login, file_of_logins, read_logins, write_logins
from grader.cli.remote.screens import say
from grader.domain.errors import GraderError, InvalidInput, NotLoggedIn
from grader.domain.text import one_line

FROM_STDIN = "-"


def login(url: str, *, name: str | None, token: str | None, days: int) -> None:
    """Keep a token for a server: the one given, or one made for a name and a password."""
    server = server_address(url, option="URL")
    made = None
    if token is None:
        made = _made_by_password(server, name=name, days=days)
        token = made.secret
    elif name is not None:
        raise InvalidInput("--name", "a token says whose it is.", "Leave one of them out.")
    elif token == FROM_STDIN:
        token = sys.stdin.readline().strip()
    with client_of(Access(server=server, token=token)) as client:
        me = client.get("me").of(Me)
        expires = made.expires_at if made else _expiry(client, token)
    write_logins(
        read_logins().plus(
            Login(
                server=server,
                login=me.login,
                token=token,
                token_id=made.id if made else None,
                expires_at=expires,
            )
        )
    )
    until = f", until {expires:%Y-%m-%d}" if expires else ""
    say(f"Logged in at {server} as {me.login} ({me.name}){until}.")
    asides().print(f"Commands talk to it from now on; the token is in {file_of_logins()}.", soft_wrap=True)


def logout(server: str | None) -> None:
    """Forget a token, and make it worthless if it was made here."""
    address = chosen_server(server)
    known = read_logins().known.get(address) if address else None
    if address is None or known is None:
        raise NotLoggedIn(f"you are not logged in{f' at {address}' if address else ''}.")
    revoked = known.token_id is not None and _revoked(known)
    write_logins(read_logins().without(address))
    rest = "" if revoked else " Its token was not revoked: your account's page does that."
    say(f"Logged out of {address}.{rest}")


def whoami(server: str | None, *, as_json: bool) -> None:
    """Say who the server takes us for."""
    access = required_access(server)
    with client_of(access) as client:
        reply = client.get("me")
    me = reply.of(Me)
    if as_json:
        value = reply.value
        print_json({"server": access.server, **(value if isinstance(value, dict) else {})})
        return
    address = f", {me.email}" if me.email else ""
    say(f"{me.login} ({me.name}{address}) at {access.server}")


def _made_by_password(server: str, *, name: str | None, days: int) -> NewToken:
    name = name or _asked("Name")
    password = _asked("Password", hidden=True)
    wanted = {
        "login": name,
        "password": password,
        "name": f"grader on {one_line(platform.node(), 40) or 'a computer'}",
        "days": days,
    }
    with Client(server) as client:
        return client.post("tokens", body=wanted).of(NewToken)


def _asked(what: str, *, hidden: bool = False) -> str:
    """What somebody types, or the next line where a program is on the other side."""
    if sys.stdin.isatty():
        return str(typer.prompt(what, hide_input=hidden, err=True))
    return sys.stdin.readline().rstrip("\r\n")


def _expiry(client: Client, secret: str) -> datetime | None:
    """When a token ends, as far as its owner's list tells it apart by its last letters."""
    ends = [
        token.expires_at
        for token in client.get("me", "tokens").of(list[Token])
        if secret.endswith(token.hint)
    ]
    return ends[0] if len(ends) == 1 else None


def _revoked(known: Login) -> bool:
    try:
        with client_of(Access(server=known.server, token=known.token)) as client:
            client.delete("me", "tokens", known.token_id or "")
    except GraderError as error:
        asides().print(one_line(str(error), 500), soft_wrap=True, markup=False)
        return False
    return True
