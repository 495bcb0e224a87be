"""Whom this person is at which server: tokens in a file that only they can read."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.domain.errors import ConfigurationInvalid

FILE = "logins.json"
_OWNER_ONLY = 0o600


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """One log-in. `token_id` is None for a token that was made elsewhere, which we must not revoke."""

    server: str
    login: str
    token: str = field(repr=False)
    token_id: str | None = None
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Logins:
    """Every log-in by server; `current` is the server that commands talk to unless they are told."""

    current: str | None = None
    known: Mapping[str, Login] = field(default_factory=dict)

    def plus(self, login: Login) -> Logins:
        """With one more, which becomes the current."""
        return replace(self, current=login.server, known={**self.known, login.server: login})

    def without(self, server: str) -> Logins:
        """Without one; commands then ask for a log-in, not some other server."""
        known = {name: login for name, login in self.known.items() if name != server}
        return replace(self, current=None if self.current == server else self.current, known=known)


def file_of_logins() -> Path:
    """Where they are kept: the user's configuration folder, which GRADER_HOME does not move."""
    base = os.environ.get("XDG_CONFIG_HOME") or (os.environ.get("APPDATA") if sys.platform == "win32" else "")
    return (Path(base) if base else Path.home() / ".config") / "grader" / FILE


def read_logins() -> Logins:
    """What is kept; ConfigurationInvalid if the file cannot be read or makes no sense."""
    path = file_of_logins()
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return Logins()
    except (OSError, UnicodeDecodeError) as error:
        raise _unusable(path, str(error)) from error
    try:
        kept = json.loads(text)
        known = {str(name): _login(str(name), value) for name, value in kept["servers"].items()}
        current = kept["current"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _unusable(path, "it is damaged") from error
    return Logins(current=current if current in known else None, known=known)


def write_logins(logins: Logins) -> None:
    """Keep them. The file is made readable by its owner alone before anything is in it."""
    path = file_of_logins()
    kept = {
        "current": logins.current,
        "servers": {
            name: {
                "login": login.login,
                "token": login.token,
                "token_id": login.token_id,
                "expires_at": login.expires_at.isoformat() if login.expires_at else None,
            }
            for name, login in logins.known.items()
        },
    }
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{FILE}.")  # 0600 by itself
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(kept, file, indent=2)
        Path(name).chmod(_OWNER_ONLY)
        Path(name).replace(path)
    except OSError as error:
        raise _unusable(path, error.strerror or str(error)) from error


def _login(server: str, value: Mapping[str, Any]) -> Login:
    expires = value.get("expires_at")
    return Login(
        server=server,
        login=str(value["login"]),
        token=str(value["token"]),
        token_id=value.get("token_id"),
        expires_at=datetime.fromisoformat(expires) if expires else None,
    )


def _unusable(path: Path, problem: str) -> ConfigurationInvalid:
    return ConfigurationInvalid(str(path), f"{problem}.", "Mend or remove the file, and log in again.")
