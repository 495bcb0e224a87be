"""The one catalogue of feedback: every code a check may give, in words a student can use.

Checks name a code and pass parameters; nothing else in the product writes sentences about student work.
`CODES` holds the entries, `render` puts one piece of feedback into words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from grader.domain.catalogue import (
    call,
    device,
    dtype,
    errors,
    immutability,
    jit,
    other,
    prng,
    purity,
    submission,
    transforms,
    values,
)
from grader.domain.catalogue.entry import CatalogueEntry, Param, RenderedFeedback, fill, placeholders
from grader.domain.results import Feedback, JsonValue

__all__ = [
    "CODES",
    "GENERAL_CODE",
    "UNKNOWN",
    "CatalogueEntry",
    "Param",
    "RenderedFeedback",
    "entry_for",
    "placeholders",
    "render",
]

_MODULES = (
    submission,
    call,
    errors,
    values,
    purity,
    immutability,
    prng,
    jit,
    transforms,
    dtype,
    device,
    other,
)

CODES: Mapping[str, CatalogueEntry] = MappingProxyType(
    {entry.code: entry for module in _MODULES for entry in module.ENTRIES}
)
"""Every known code, in the order in which the catalogue lists them."""

GENERAL_CODE = "check.failed"
"""Says no more than that the check was not passed."""

UNKNOWN = CatalogueEntry(
    code=GENERAL_CODE,
    title="Not as the task asks",
    message="The check was not passed{at}.",
    why="The check has no explanation of its own.",
    hint="Compare your function with the task once more, and ask the course staff if it stays unclear.",
)
"""Stands in for a code the catalogue does not know, for instance one of an older version."""


def entry_for(code: str) -> CatalogueEntry:
    """The entry of a code; an unknown code gets the general one."""
    return CODES.get(code, UNKNOWN)


_PYTHONS_PLACE = re.compile(r" \([^()]{1,200}, line [0-9]+\)$")
LINE_PARAM = "first_line"
"""The one parameter that is a line: a 1-based number, of the file that the feedback speaks of."""


def render(feedback: Feedback, *, reveal: bool = True, place: str | None = None) -> RenderedFeedback:
    """The feedback in words.

    `place` says how to speak of the student's line, such as "cell 3, line 2"; by default it is told from
    the feedback. With ``reveal=False`` nothing that the check was given or found may show, so no parameter
    is used: the entry's hidden message, else its title, takes the message's place. Never raises, whatever
    the parameters.
    """
    entry = entry_for(feedback.code)
    spoken = _place(feedback) if place is None else place
    at = f" ({spoken})" if spoken else ""
    values = _in_words(feedback.params) if reveal else {}

    def text(template: str) -> str:
        return fill(template, params=entry.params, values=values, at=at)

    message = text(entry.message) if reveal else entry.hidden_message or f"{entry.title}."
    return RenderedFeedback(
        code=feedback.code,
        title=entry.title,
        message=message,
        why=entry.why,
        hint=text(entry.hint),
        example=entry.example,
        lesson=entry.lesson,
        place=spoken,
        line=feedback.line,
        file=feedback.file,
    )


def _in_words(params: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """The parameters with a bare line number put into words, and without Python's own note of a place."""
    spoken = dict(params)
    if isinstance(line := params.get(LINE_PARAM), int):
        spoken[LINE_PARAM] = f"on line {line}"
    if isinstance(text := params.get("text"), str):
        # A SyntaxError's text ends in the joined file's name and line; the message has told the place.
        spoken["text"] = _PYTHONS_PLACE.sub("", text)
    return spoken


def _place(feedback: Feedback) -> str:
    """The student's line in words; empty where none is known."""
    if feedback.line is None:
        return ""
    return f"line {feedback.line} of {feedback.file}" if feedback.file else f"line {feedback.line}"
