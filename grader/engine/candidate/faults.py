"""What an exception says about student code: its type, its words, and the frames in submitted files."""

from __future__ import annotations

import re
import traceback
from collections.abc import Container, Iterator
from typing import Any

_OURS = re.compile(
    r"The error occurred while tracing the function \w+ at \S*?/grader/engine/\S+ for \w+\. ?"
    r"|This (concrete )?value was not available in Python because it depends on the values? of the "
    r"arguments? "
    r"leaves\[\d+\][^.]*\. ?"
    r"|The function being traced when the value leaked was \w+ at \S*?/grader/engine/\S+ traced for \w+\.\n?"
)
"""Sentences of JAX's that speak of the code around the student's function, not of the function."""

MAX_FRAMES = 12
MAX_CAUSES = 4
MAX_TEXT = 2000


def describe(exc: BaseException, files: Container[str]) -> dict[str, Any]:
    """Plain data about `exc`: the innermost frame of a submitted file comes last.

    Nothing here trusts the exception: its ``__str__`` may raise, return nonsense, or be endless.
    """
    return {
        "type": type(exc).__name__[:100],
        "bases": [base.__name__[:100] for base in type(exc).__mro__[:8]],
        "causes": list(_causes(exc)),
        "text": _text(exc),
        "name": _name(exc),
        "frames": list(_frames(exc, files)),
    }


def _causes(exc: BaseException) -> Iterator[str]:
    """The types of what it was raised from: NumPy hides JAX's own error so, behind one of its own."""
    for _ in range(MAX_CAUSES):
        try:
            cause = exc.__cause__
        except BaseException:  # noqa: BLE001 - student code's own attribute
            return
        if not isinstance(cause, BaseException):
            return
        yield type(cause).__name__[:100]
        exc = cause


def _text(exc: BaseException) -> str:
    try:
        text = str(exc)
    except BaseException:  # noqa: BLE001 - student code's own __str__
        return ""
    return _OURS.sub("", text)[:MAX_TEXT] if isinstance(text, str) else ""


def _name(exc: BaseException) -> str:
    """The module that an import failed to find."""
    try:
        name = exc.name if isinstance(exc, ImportError) else None
    except BaseException:  # noqa: BLE001 - student code's own attribute
        return ""
    return name[:200] if isinstance(name, str) else ""


def _frames(exc: BaseException, files: Container[str]) -> Iterator[dict[str, Any]]:
    if isinstance(exc, SyntaxError) and isinstance(exc.filename, str) and exc.filename in files:
        line, column = (number if type(number) is int else 0 for number in (exc.lineno, exc.offset))
        yield {"file": exc.filename, "line": line or 1, "function": "", "column": column}
        return
    found = [
        {"file": frame.f_code.co_filename, "line": line, "function": frame.f_code.co_name[:100]}
        for frame, line in traceback.walk_tb(exc.__traceback__)
        if frame.f_code.co_filename in files
    ]
    yield from found[-MAX_FRAMES:]
