"""Asking before something that costs: whoever sits at a terminal. A program is told, and goes on."""

from __future__ import annotations

import sys

import typer

from grader.cli.exits import ExitCode, leave
from grader.cli.output import asides
from grader.domain.text import one_line


def require_consent(price: str, *, ask: bool) -> None:
    """Say what something costs (nothing where that is empty); ends the command with 1 for a "no"."""
    if not price:
        return
    asides().print(one_line(price, 1000), soft_wrap=True, markup=False)
    if not (ask and somebody_is_there()):
        return
    if not typer.confirm("Hand in all the same?", err=True):
        asides().print("Nothing was handed in.", soft_wrap=True)
        leave(ExitCode.NO)


def somebody_is_there() -> bool:
    """Whether a question would be answered by a person."""
    return sys.stdin.isatty()
