"""JSON that every parser reads alike and none chokes on, with text in it that can be stored."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import NoReturn

from grader.domain.errors import InvalidInput
from grader.domain.text import one_line

DEEPEST = 32
LONGEST_NUMBER = 40
"""Characters; no quantity that we take needs as many."""

_UNFIT = re.compile("[\0\ud800-\udfff]")
_OPENERS = b"[{"
_CLOSERS = b"]}"


def require_strict(body: bytes) -> None:
    """InvalidInput where the body is not plain JSON in UTF-8: with no key twice, no NaN, nothing too deep."""
    if not body:
        return
    _require_shallow(body)
    try:
        text = body.decode("utf-8")
        value = json.loads(
            text,
            object_pairs_hook=_no_key_twice,
            parse_int=_short_number,
            parse_float=_finite,
            parse_constant=_no_constant,
        )
    except UnicodeDecodeError as error:
        raise InvalidInput("body", "it is not UTF-8.", "Send JSON in UTF-8.") from error
    except json.JSONDecodeError as error:
        raise InvalidInput(
            "body", f"it is not JSON: {error.msg}, line {error.lineno}, column {error.colno}."
        ) from error
    _require_text(value)


def _require_shallow(body: bytes) -> None:
    """Count brackets outside of strings, before a parser that recurses sees them."""
    depth, in_string, escaped = 0, False, False
    for byte in body:
        if in_string:
            if escaped:
                escaped = False
            elif byte == ord("\\"):
                escaped = True
            elif byte == ord('"'):
                in_string = False
        elif byte == ord('"'):
            in_string = True
        elif byte in _OPENERS:
            depth += 1
            if depth > DEEPEST:
                raise InvalidInput("body", f"it is nested deeper than {DEEPEST} levels.")
        elif byte in _CLOSERS:
            depth -= 1


def _require_text(value: object) -> None:
    """Refuse NUL and lone surrogates, which JSON can spell and PostgreSQL and UTF-8 cannot hold."""
    if isinstance(value, str):
        if _UNFIT.search(value):
            raise InvalidInput("body", "a text has a NUL or half a character in it.", "Leave it out.")
    elif isinstance(value, dict):
        for key, item in value.items():
            _require_text(key)
            _require_text(item)
    elif isinstance(value, list):
        for item in value:
            _require_text(item)


def _no_key_twice(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidInput("body", f"the key {one_line(key, 60)!r} occurs twice in one object.")
        found[key] = value
    return found


def _short_number(text: str) -> int:
    if len(text) > LONGEST_NUMBER:
        raise InvalidInput("body", f"a number has more than {LONGEST_NUMBER} digits.")
    return int(text)


def _finite(text: str) -> float:
    value = float(text) if len(text) <= LONGEST_NUMBER else math.inf
    if not math.isfinite(value):
        raise InvalidInput("body", f"the number {one_line(text, 40)} is out of range.")
    return value


def _no_constant(text: str) -> NoReturn:
    raise InvalidInput("body", f"{text} is not JSON.", "Leave the value out, or send null.")
