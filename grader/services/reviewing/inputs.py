"""What people type into a review, made safe to keep: texts in which nothing acts, points that are exact."""

from __future__ import annotations

import re
from fractions import Fraction

from grader.domain.errors import InvalidInput
from grader.domain.text import printable

COMMENT_LIMIT = 10_000
"""Characters of one comment, reason or answer."""

TITLE_LIMIT = 120

_DECIMAL = re.compile(r"[+-]?(\d{1,9}([.,]\d{1,6})?|[.,]\d{1,6})", re.ASCII)
_QUOTIENT = re.compile(r"([+-]?\d{1,9})/(\d{1,6})", re.ASCII)


def text_of(typed: str, *, field: str, limit: int = COMMENT_LIMIT) -> str:
    r"""The text, inert and without blanks around it; InvalidInput if nothing is left, or too much.

    >>> text_of(" see\x00 line 3 ", field="comment")
    'see\\x00 line 3'
    """
    text = printable(typed).strip()
    if not text:
        raise InvalidInput(field, "there is no text in it.", "Write a sentence.")
    if len(text) > limit:
        raise InvalidInput(field, f"it has {len(text):,} characters; {limit:,} are the most.", "Shorten it.")
    return text


def points_of(typed: str | float, *, field: str = "points") -> Fraction:
    """Points exactly as typed: a whole number, decimals with a point or a comma, or a fraction such as 7/2.

    >>> points_of("2,5"), points_of("-1/3"), points_of(0.1)
    (Fraction(5, 2), Fraction(-1, 3), Fraction(1, 10))
    """
    text = str(typed).strip()
    if _DECIMAL.fullmatch(text):
        return Fraction(text.replace(",", "."))
    quotient = _QUOTIENT.fullmatch(text)
    if quotient is not None and int(quotient.group(2)) != 0:
        return Fraction(int(quotient.group(1)), int(quotient.group(2)))
    raise InvalidInput(
        field,
        f"{printable(text, limit=40)!r} is not a number of points.",
        "Write it like 3, 2.5 or 7/2, with at most six decimals.",
    )
