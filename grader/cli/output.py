"""Where words go: answers to standard output, everything said along the way to standard error."""

from __future__ import annotations

import json
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


def write_text(path: Path, text: str, *, option: str) -> None:
    """Write an answer to a file the user named with `option`; a refusal by the system is theirs to mend."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigurationInvalid(
            option, f"cannot write {path}: {error.strerror or error}.", "Name another place."
        ) from error
