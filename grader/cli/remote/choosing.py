"""Which server a command talks to, and by whose token; the one rule, for every command.

1. `--local` means this machine's own database.
2. `--server URL`, or GRADER_SERVER, names a server.
3. Otherwise it is the server of the last `grader login`.
4. Otherwise it is this machine's own database, for the commands that can use it.

GRADER_TOKEN belongs to GRADER_SERVER and is sent nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grader.cli.remote.addresses import server_address
from grader.cli.remote.logins import read_logins
from grader.domain.errors import ConfigurationInvalid, NotLoggedIn


class Variable(StrEnum):
    """The variables by which scripts say what `grader login` says for people."""

    SERVER = "GRADER_SERVER"
    TOKEN = "GRADER_TOKEN"  # noqa: S105 - a name, not a secret


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """A server, and the token to be shown to it."""

    server: str
    token: str = field(repr=False)


def chosen_access(server: str | None, *, local: bool = False) -> Access | None:
    """Where to go; None means this machine's own database. NotLoggedIn where no token is known."""
    if local:
        if server:
            raise ConfigurationInvalid("--local", "--server names a server.", "Give one of them.")
        return None
    address = chosen_server(server)
    return None if address is None else _access(address)


def required_access(server: str | None) -> Access:
    """Where to go, for commands that only a server can answer."""
    address = chosen_server(server)
    if address is None:
        raise NotLoggedIn(
            "this needs a server, and none is known. Log in with `grader login https://grader.example.edu`."
        )
    return _access(address)


def refuse_on_server(given: Mapping[str, object]) -> None:
    """Refuse options that only this machine's own database understands."""
    _refuse(given, "it belongs to this machine's own database", "Leave it out, or add --local.")


def refuse_without_server(given: Mapping[str, object]) -> None:
    """Refuse options that only a server understands."""
    _refuse(given, "it belongs to a server", "Leave it out, or log in with `grader login URL`.")


def _refuse(given: Mapping[str, object], problem: str, remedy: str) -> None:
    for option, value in given.items():
        if value:
            raise ConfigurationInvalid(option, f"{problem}.", remedy)


def chosen_server(server: str | None) -> str | None:
    """The address of the server that is meant, if any is."""
    if server:
        return server_address(server, option="--server")
    if named := os.environ.get(Variable.SERVER):
        return server_address(named, option=Variable.SERVER)
    if os.environ.get(Variable.TOKEN):
        raise ConfigurationInvalid(
            Variable.TOKEN, "it belongs to a server, and GRADER_SERVER is not set.", "Set both, or neither."
        )
    return read_logins().current


def _access(server: str) -> Access:
    token = os.environ.get(Variable.TOKEN)
    named = os.environ.get(Variable.SERVER)
    if token and named and server_address(named, option=Variable.SERVER) == server:
        return Access(server=server, token=token)
    login = read_logins().known.get(server)
    if login is None:
        raise NotLoggedIn(f"you are not logged in at {server}. Use `grader login {server}`.")
    return Access(server=server, token=login.token)
