"""The one place where failures become words: no traceback reaches a user.

An error of our own tree already says what is wrong and how to mend it. Anything else is our fault: its
traceback goes to a log file and the user reads where that file is.
"""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NoReturn

from rich.markup import escape
from typer.core import TyperGroup

from grader.cli.commands import Panel
from grader.cli.exits import ExitCode
from grader.cli.output import asides
from grader.domain.errors import EngineFault, GraderError, SealUnavailable, ServerFailed
from grader.services.home import home_folder

OURS = (EngineFault, SealUnavailable, ServerFailed)
"""Errors of our own tree that no other option, file or setting of the caller would mend."""


_NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""A disk, a quota or a file that is full: nothing in a log would help, even if it could be written."""


class BoundaryGroup(TyperGroup):
    """The root command: whatever escapes a command ends here, in plain words and with its exit code.

    Commands are listed by the person they are for, whether they are one command or a group of them.
    """

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 - as Typer has it
        order = {panel.value: place for place, panel in enumerate(Panel)}
        names = super().list_commands(ctx)
        return sorted(names, key=lambda name: order.get(_panel_of(self.commands[name]), len(order)))

    def main(self, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - Typer's own signature, passed through
        with failures_in_plain_words():
            return super().main(*args, **kwargs)


def _panel_of(command: object) -> str:
    panel = getattr(command, "rich_help_panel", None)
    return panel if isinstance(panel, str) else ""


@contextmanager
def failures_in_plain_words() -> Iterator[None]:
    """Turn any exception into a message on standard error and an exit code."""
    try:
        yield
    except GraderError as error:
        _say(str(error))
        sys.exit(ExitCode.OUR_FAULT if isinstance(error, OURS) else ExitCode.WRONG_USE)
    except OSError as error:
        if error.errno not in _NO_ROOM:
            _record(error)
        _say(f"something could not be written: {error.strerror}. Make room, or write elsewhere.")
        sys.exit(ExitCode.OUR_FAULT)
    except Exception as error:  # noqa: BLE001 - the process boundary: record, say so, end with 3
        _record(error)


def _record(error: Exception) -> NoReturn:
    _say(f"the grader itself failed ({type(error).__name__}). Nothing was judged by this.")
    _say_where(write_log(error))
    sys.exit(ExitCode.OUR_FAULT)


def write_log(error: BaseException) -> Path | None:
    """Keep the traceback: in GRADER_HOME/logs, else in the temporary folder; None if neither takes it."""
    stamp = datetime.now(tz=UTC).strftime("%Y%m%dT%H%M%SZ")
    text = "".join(
        [
            f"command: {' '.join(sys.argv)}\npython: {sys.version}\nplatform: {sys.platform}\n\n",
            *traceback.format_exception(error),
        ]
    )
    for folder in _log_folders():
        path = folder / f"grader-{stamp}-{os.getpid()}.log"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", errors="backslashreplace")
        except OSError:
            continue
        return path
    return None


def _log_folders() -> Iterator[Path]:
    with suppress(RuntimeError):  # nobody knows where this user's home is
        yield home_folder() / "logs"
    yield Path(tempfile.gettempdir())


def _say(message: str) -> None:
    asides().print(f"[bold red]grader:[/] {escape(message)}", soft_wrap=True)


def _say_where(log: Path | None) -> None:
    if log is not None:
        asides().print(
            f"The details are in {escape(str(log))}; send that file to whoever runs the grader.",
            soft_wrap=True,
        )
