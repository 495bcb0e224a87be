"""Where words go: answers to standard output, everything said along the way to standard error."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from grader.domain.errors import ConfigurationInvalid
from grader.domain.results import JsonValue


def answers() -> Console:
    """The console for what a command was asked for. Made per call: tests and pipes swap the streams."""
    return Console(highlight=False)


def asides() -> Console:
    """The console for progress, warnings and errors."""
    return Console(stderr=True, highlight=False)


def print_json(value: Mapping[str, JsonValue]) -> None:
    """One JSON object on standard output and nothing else, for programs that read it."""
    print(json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))  # noqa: T201 - the answer itself


def require_folder(path: Path, *, option: str) -> None:
    """Make a folder that the user named with `option`, before much work is done whose results go there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error), option) from error
    if not os.access(path, os.W_OK):
        raise _unwritable(path, "Permission denied", option)


def write_text(path: Path, text: str, *, option: str) -> None:
    """Write an answer to a file the user named with `option`; a refusal by the system is theirs to mend."""
    write_bytes(path, text.encode("utf-8"), option=option)


def write_bytes(path: Path, data: bytes, *, option: str, replace: bool = True) -> None:
    """As `write_text`; without `replace`, a file that is there already is refused, too."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb" if replace else "xb") as file:
            file.write(data)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error), option) from error


def _unwritable(path: Path, reason: str, option: str) -> ConfigurationInvalid:
    return ConfigurationInvalid(option, f"cannot write {path}: {reason}.", "Name another place.")
