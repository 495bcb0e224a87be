"""An assignment's lesson as a page, so that the links in a report lead somewhere.

The lesson is Markdown. Raw HTML in it is shown as text, and every heading gets the anchor that feedback
links to.
"""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from grader.presentation.headings import headings, lesson_parser
from grader.presentation.html import page_from

_LOWEST_HEADING = 6


def render_lesson(text: str, *, title: str) -> str:
    """The lesson as a self-contained HTML document."""
    return page_from("lesson.html", title=title, body=lesson_body(text))


def lesson_body(text: str, *, under: int = 0) -> Markup:
    """The lesson's markup, its headings so many levels lower: a page that has a title passes 1."""
    parser = lesson_parser()
    for name in ("fence", "code_block", "table_open", "table_close"):
        parser.add_render_rule(name, _scrolling)
    tokens = parser.parse(text)
    for opening, anchor in headings(tokens):
        opening.attrSet("id", anchor)
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
