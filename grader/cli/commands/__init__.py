"""The commands' signatures and help, one module per group.

These modules import next to nothing, so that `grader --help` and shell completion answer at once. Each
command imports the module that does its work when it is called.
"""

from __future__ import annotations

import inspect
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer import Typer


class Panel(StrEnum):
    """The people of a course, as headings in `grader --help`."""

    ANYONE = "First look"
    STUDENT = "Students"
    INSTRUCTOR = "Instructors and TAs"
    OPERATOR = "Operators"


def examples(*lines: str) -> str:
    """The closing part of a command's help."""
    return "\n".join(["[bold]Examples[/]", *(f"[cyan]$ {line}[/]" for line in lines)])


def let_help_flow(app: Typer) -> None:
    """Have each paragraph of a docstring fill the terminal's width.

    Typer joins the lines of the first paragraph only: in all others a line of the source would end a line on
    the screen, too.
    """
    for command in app.registered_commands:
        text = inspect.getdoc(command.callback) or ""
        command.help = "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))
    for group in app.registered_groups:
        if group.typer_instance is not None:
            let_help_flow(group.typer_instance)
