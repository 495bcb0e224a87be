"""The exit codes of every command, the same everywhere so that scripts can rely on them."""

from __future__ import annotations

from enum import IntEnum

import typer


class ExitCode(IntEnum):
    """What a command's end means."""

    FINE = 0
    NO = 1
    """The command worked and its answer is "no": a check failed, the gate is shut, the demo disagrees."""
    WRONG_USE = 2
    """Something the caller can mend: an option, an upload, an assignment folder, a setting."""
    OUR_FAULT = 3
    """The grader or its machine failed; nothing is said about the work that was handed in."""
    INTERRUPTED = 130


def leave(code: ExitCode) -> None:
    """End the command with `code`; returns for FINE so that a command can end by falling through."""
    if code is not ExitCode.FINE:
        raise typer.Exit(int(code))
