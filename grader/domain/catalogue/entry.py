"""The shape of a catalogue entry, and how its templates are filled.

A template is plain text with three marks:

- ``{name}`` is a parameter of the entry. It is replaced by the parameter's value, or by its neutral word when
  the feedback does not carry it, so that a report can always be shown.
- ``{at}`` stands for the student's line: `` (line 12)``, or nothing where no line is known.
- ``[[ ... ]]`` is an optional passage: it is left out when a parameter inside it is missing or says nothing.

Only these marks are special. Values are never read as templates, so text written by a student stays text.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass

from grader.domain.results import JsonValue
from grader.domain.text import one_line

VALUE_LIMIT = 200
"""Characters of one parameter's value that a sentence may carry."""

GROUPED_FROM = 10_000
"""Integers from here on are written with thousands separators."""

ROUNDED_FROM = 1_000
"""Fractions of larger numbers are not worth reading."""

READABLE_BELOW = 1e9
"""Numbers from here on are written with an exponent."""

WRITTEN_BITS = 128
"""Integers longer than this are not written out."""

_PLACEHOLDER = re.compile(r"\{([a-z_]+)\}")
_OPTIONAL = re.compile(r"\[\[(.*?)\]\]", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One parameter that a code's templates may use.

    `means` tells authors of checks what to pass, `neutral` is shown when they passed nothing, and `code`
    marks values that are Python text and are set in backticks.
    """

    name: str
    means: str
    neutral: str
    code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueEntry:
    """What a student reads for one feedback code.

    `message` says what was found, `why` why it matters in JAX, `hint` what to try next, and `example` shows
    it as a few lines of Python (never a template). `lesson` is an anchor in the assignment's lesson.
    `hidden_message` replaces `message` where a check's inputs and expected values must not show; it takes no
    parameter.
    """

    code: str
    title: str
    message: str
    why: str
    hint: str
    example: str = ""
    lesson: str | None = None
    hidden_message: str = ""
    params: tuple[Param, ...] = ()

    @property
    def templates(self) -> tuple[str, ...]:
        """The texts in which parameters are filled in."""
        return (self.message, self.hint)


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedFeedback:
    """A piece of feedback in words. Code stands in backticks.

    `place` speaks of the student's line ("line 12", "cell 3, line 2"; empty if unknown), `line` is 1-based in
    `file`.
    """

    code: str
    title: str
    message: str
    why: str
    hint: str
    example: str
    lesson: str | None
    place: str
    line: int | None
    file: str | None


def snippet(text: str) -> str:
    """A few lines of example code, written indented in the source and stored flush left."""
    return textwrap.dedent(text).strip("\n")


def placeholders(template: str) -> frozenset[str]:
    """The names a template uses.

    >>> sorted(placeholders("{function} failed{at}[[: {text}]]"))
    ['at', 'function', 'text']
    """
    return frozenset(_PLACEHOLDER.findall(template))


def fill(template: str, *, params: tuple[Param, ...], values: Mapping[str, JsonValue], at: str) -> str:
    """The template with its marks replaced; missing values never raise."""
    known = {param.name: param for param in params}
    words = {name: text for name, param in known.items() if (text := _worded(values.get(name), param))}

    def passage(match: re.Match[str]) -> str:
        inner = match.group(1)
        return inner if placeholders(inner) - {"at"} <= words.keys() else ""

    def word(match: re.Match[str]) -> str:
        name = match.group(1)
        if name == "at":
            return at
        return words.get(name) or (known[name].neutral if name in known else match.group(0))

    return _sentence(_PLACEHOLDER.sub(word, _OPTIONAL.sub(passage, template)))


def _worded(value: JsonValue, param: Param) -> str:
    """One value as it stands in a sentence: short, inert, on one line, code in backticks.

    Empty for a value that says nothing: none at all, an empty text, or the neutral word itself.
    """
    text = "" if value is None else one_line(_plain(value), VALUE_LIMIT)
    if text in ("", param.neutral):
        return ""
    return "`" + text.replace("`", "'") + "`" if param.code else text.rstrip(".")


def _plain(value: JsonValue) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_plain(item)}" for key, item in value.items())
    if isinstance(value, list):
        return ", ".join(_plain(item) for item in value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return _number(value)


def _number(value: float) -> str:
    """Three digits are enough for a sentence; an integer is written in full unless it is absurdly long."""
    if not isinstance(value, int):
        return f"{value:,.0f}" if ROUNDED_FROM <= abs(value) < READABLE_BELOW else f"{value:.3g}"
    if value.bit_length() > WRITTEN_BITS:
        return f"about 2**{value.bit_length()}"
    return f"{value:,}" if abs(value) >= GROUPED_FROM else str(value)


def _sentence(text: str) -> str:
    """The text with a capital at its start (a neutral word may stand there)."""
    return text[:1].upper() + text[1:]
