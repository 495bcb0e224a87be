"""Hears of environment variables that submitted code reads: no audit event tells of that.

A variable that nobody set reads the same in every world, so that comparing worlds does not show it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

EVENT = "environment"
"""What the observer calls such a read."""
_BETWEEN = ("os", "collections.abc")
"""Modules of Python through which a variable is read: ``os.getenv``, ``os.environ.get``."""


def hear_reads(heard: Callable[[str, str], None]) -> None:
    """From now on call ``heard(name, file)`` for each variable read, with the file of the code that did."""
    plain = type(os.environ).__getitem__

    def noted(environment: Any, name: Any) -> str:  # noqa: ANN401 - as the method's own
        heard(str(name), _reader(sys._getframe(1)))  # noqa: SLF001 - the callers of the method
        return plain(environment, name)

    setattr(type(os.environ), "__getitem__", noted)  # noqa: B010 - mypy forbids assigning to a method


def _reader(frame: FrameType | None) -> str:
    while frame is not None and frame.f_globals.get("__name__") in _BETWEEN:
        frame = frame.f_back
    return "" if frame is None else frame.f_code.co_filename
