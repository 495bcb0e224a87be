"""An assignment's lesson as a page, so that the links in a report lead somewhere.

The lesson is Markdown. Raw HTML in it is shown as text, and every heading gets the anchor that feedback
links to.
"""

from __future__ import annotations

import re
from itertools import pairwise

from markdown_it import MarkdownIt
from markupsafe import Markup

from grader.presentation.html import page_from

_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def render_lesson(text: str, *, title: str) -> str:
    """The lesson as a self-contained HTML document."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", anchor_of(inline.content))
    body = Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - rendered with HTML switched off
    return page_from("lesson.html", title=title, body=body)


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts make it.

    >>> anchor_of("PRNG keys"), anchor_of("Tracing and `jit`")
    ('prng-keys', 'tracing-and-jit')
    """
    return _NOT_IN_ANCHORS.sub("", heading.lower()).strip().replace(" ", "-")
