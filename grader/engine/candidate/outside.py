"""Hears what submitted code reads from outside where no audit event tells: variables, clocks, files' state.

A variable that nobody set, or a file that is nowhere, reads the same in every world, and a time need not be
used: then comparing worlds does not show it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import Any


class Read(StrEnum):
    """What is read; the observer's event is called so."""

    ENVIRONMENT = "environment"
    CLOCK = "clock"
    FILE = "os.stat"


Ear = Callable[[Read, str, str], None]
"""Is told what is read, its name, and the file of the code that reads it."""

_ears: list[Ear] = []
_LIBRARY = f"{Path(os.__file__).parent}{os.sep}"
_PACKAGES = f"{os.sep}site-packages{os.sep}"


def hear(ear: Ear) -> None:
    """From now on tell `ear` of each read in this process."""
    if not _ears:
        _listen()
    _ears.append(ear)


def tell(what: Read, name: str, frame: FrameType | None) -> None:
    """Tell of a read that `frame`, or who called the standard library from there, asked for."""
    for ear in _ears:
        ear(what, name, _reader(frame))


def _listen() -> None:
    variable, status = type(os.environ).__getitem__, os.stat

    def noted_variable(environment: Any, name: Any) -> str:  # noqa: ANN401 - as the method's own
        tell(Read.ENVIRONMENT, str(name), sys._getframe(1))  # noqa: SLF001 - the callers of the method
        return variable(environment, name)

    def noted_status(path: Any, *args: Any, **options: Any) -> os.stat_result:  # noqa: ANN401 - as above
        tell(Read.FILE, str(path), sys._getframe(1))  # noqa: SLF001 - as above
        return status(path, *args, **options)

    setattr(type(os.environ), "__getitem__", noted_variable)  # noqa: B010 - mypy forbids assigning to a method
    os.stat = noted_status


def _reader(frame: FrameType | None) -> str:
    """The file of the innermost code that does not only hand on."""
    while frame is not None and _is_between(frame):
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename


def _is_between(frame: FrameType) -> bool:
    """Whether a frame only hands on, such as that of ``os.getenv`` or of a perturbed clock."""
    file = frame.f_code.co_filename
    ours = frame.f_globals.get("__name__") == "grader.engine.candidate.worlds"
    library = file.startswith((_LIBRARY, "<frozen ")) and _PACKAGES not in file
    return ours or (library and frame.f_code.co_name != "<module>")
