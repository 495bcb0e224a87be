"""The headings of a lesson, and the anchors that reports link to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.token import Token

_NOT_IN_ANCHORS: Final = re.compile(r"[^\w\- ]")


def lesson_parser() -> MarkdownIt:
    """The Markdown that lessons are written in; raw HTML is text."""
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def headings(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Each heading's opening token, with its anchor."""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            yield opening, anchor_of(inline.content)


def anchors_in(lesson: str) -> frozenset[str]:
    """The anchors of a lesson's headings, as feedback names them.

    >>> sorted(anchors_in("## PRNG keys"))
    ['#prng-keys']
    """
    return frozenset(f"#{anchor}" for _, anchor in headings(lesson_parser().parse(lesson)))


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts make it.

    >>> anchor_of("PRNG keys"), anchor_of("Tracing and `jit`")
    ('prng-keys', 'tracing-and-jit')
    """
    return _NOT_IN_ANCHORS.sub("", heading.lower()).strip().replace(" ", "-")
