"""The commands' signatures and help, one module per group.

These modules import next to nothing, so that `grader --help` and shell completion answer at once. Each
command imports the module that does its work when it is called.
"""

from __future__ import annotations

from enum import StrEnum


class Panel(StrEnum):
    """The people of a course, as headings in `grader --help`."""

    ANYONE = "First look"
    STUDENT = "Students"
    INSTRUCTOR = "Instructors and TAs"
    OPERATOR = "Operators"


def examples(*lines: str) -> str:
    """The closing part of a command's help."""
    return "\n".join(["[bold]Examples[/]", *(f"[cyan]$ {line}[/]" for line in lines)])
