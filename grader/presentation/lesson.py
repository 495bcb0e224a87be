"""An assignment's lesson as a page, so that the links in a report lead somewhere.

The lesson is Markdown. Raw HTML in it is shown as text, and every heading gets the anchor that feedback
links to.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from grader.presentation.html import page_from

_LOWEST_HEADING = 6
_NOT_IN_ANCHORS = re.compile(r"[^\w\- ]")


def render_lesson(text: str, *, title: str) -> str:
    """The lesson as a self-contained HTML document."""
    return page_from("lesson.html", title=title, body=lesson_body(text))


def lesson_body(text: str, *, under: int = 0) -> Markup:
    """The lesson's markup, its headings so many levels lower: a page that has a title passes 1."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for name in ("fence", "code_block", "table_open", "table_close"):
        parser.add_render_rule(name, _scrolling)
    tokens = parser.parse(text)
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            opening.attrSet("id", anchor_of(inline.content))
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1:]) + under, _LOWEST_HEADING)}"
    return Markup(parser.renderer.render(tokens, parser.options, {}))  # noqa: S704 - rendered with HTML switched off


def _scrolling(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """Wide things in a box of their own that scrolls, by the keyboard too: a page does not."""
    token = tokens[index]
    if token.type == "table_open":
        return '<div class="scroll" tabindex="0">\n<table>\n'
    if token.type == "table_close":
        return "</table>\n</div>\n"
    block: str = getattr(RendererHTML, token.type)(renderer, tokens, index, options, env)
    return block.replace("<pre>", '<pre tabindex="0">', 1)


def anchor_of(heading: str) -> str:
    """The anchor of a heading, as code hosts make it.

    >>> anchor_of("PRNG keys"), anchor_of("Tracing and `jit`")
    ('prng-keys', 'tracing-and-jit')
    """
    return _NOT_IN_ANCHORS.sub("", heading.lower()).strip().replace(" ", "-")
