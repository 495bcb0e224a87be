"""Where a comment belongs: to a line of a file, to a check, or to the submission as a whole."""

from __future__ import annotations

from dataclasses import dataclass

from grader.domain.errors import InvalidInput
from grader.domain.submission import SubmittedFiles
from grader.domain.text import did_you_mean, one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A line (1-based) of a file as the grader reads it, or a check; neither means the whole submission."""

    file: str | None = None
    line: int | None = None
    check_id: str | None = None


WHOLE = Place()


def require_line(place: Place, source: SubmittedFiles) -> None:
    """InvalidInput unless the submission has that line."""
    if place.line is None and place.file is None:
        return
    if place.line is None or place.file is None:
        raise InvalidInput("line", "a line needs a file, and a file a line.", "Give both, or neither.")
    texts = {file.name: file.text for file in source.files}
    if place.file not in texts:
        raise InvalidInput(
            "file",
            f"no file {one_line(place.file, 80)!r} in this submission.",
            did_you_mean(place.file, texts) or "Take its name from the report.",
        )
    lines = texts[place.file].removesuffix("\n").count("\n") + 1
    if not 1 <= place.line <= lines:
        raise InvalidInput(
            "line", f"{place.line} is not a line of {one_line(place.file, 80)}.", f"It has {lines:,}."
        )
