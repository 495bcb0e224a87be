"""Reports as self-contained HTML: one file each, no script, nothing loaded from elsewhere, printable.

Templates escape everything; the only markup made in Python is the code element that replaces backticks. A
Content-Security-Policy in the page forbids scripts and connections even if a browser were fooled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup, escape

from grader.domain.submission import SubmittedFiles
from grader.domain.text import one_line, printable
from grader.domain.verdicts import FAMILY_TITLE
from grader.domain.view import ReportView
from grader.presentation.changes import Change, Request
from grader.presentation.page import Heading, page_of
from grader.presentation.remarks import Remark
from grader.presentation.words import (
    changed_text,
    counted,
    duration_text,
    hidden_text,
    left_text,
    lesson_title,
    points_text,
    score_text,
    verdict_counts,
    wait_text,
)

__all__ = [
    "Heading",
    "IndexRow",
    "Remark",
    "ReportParts",
    "render_index",
    "render_report",
    "report_parts",
    "style_sheet",
]


_BLANK_LINES = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexRow:
    """One report in an index: where it lies, whose it is, and what came out."""

    href: str
    name: str
    about: str
    score: Fraction
    max_score: Fraction
    graded: bool
    lost: tuple[str, ...] = ()
    """Titles or ids of the checks that cost points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportParts:
    """A report in pieces, for a page that has its own frame; what the standalone document shows, no less.

    `masthead` holds the page's only h1.
    """

    masthead: Markup
    results: Markup
    code: Markup
    how: Markup


def render_report(
    view: ReportView,
    *,
    source: SubmittedFiles,
    heading: Heading,
    remarks: Sequence[Remark] = (),
    changes: Sequence[Change] = (),
    requests: Sequence[Request] = (),
) -> str:
    """One report as an HTML document."""
    page = page_of(view, source=source, heading=heading, remarks=remarks, changes=changes, requests=requests)
    return page_from("report.html", page=page, view=view)


def report_parts(
    view: ReportView,
    *,
    source: SubmittedFiles,
    heading: Heading,
    remarks: Sequence[Remark] = (),
    changes: Sequence[Change] = (),
) -> ReportParts:
    """The same report in pieces, styled by `style_sheet()`; what staff changed is listed by the frame."""
    page = page_of(view, source=source, heading=heading, remarks=remarks, changes=changes)
    parts = {
        name: Markup(_templates().get_template(f"report/{name}.html").render(page=page, view=view))  # noqa: S704 - autoescaped
        for name in ("masthead", "results", "code", "how")
    }
    return ReportParts(**parts)


def style_sheet() -> str:
    """The style sheet of reports, for a page that links to it."""
    return str(_css())


def render_index(rows: Sequence[IndexRow], *, title: str, intro: str = "") -> str:
    """A page that links to reports."""
    return page_from("index.html", rows=rows, title=title, intro=intro)


def page_from(template: str, **values: object) -> str:
    """A self-contained document made from one of our templates."""
    return _templates().get_template(template).render(css=_css(), **values)


def prose(text: str) -> Markup:
    """Escaped text in which backticks have become code elements.

    >>> prose("a < `b`")
    Markup('a &lt; <code>b</code>')
    """
    parts = printable(text).split("`")
    if len(parts) % 2 == 0:
        parts[-2:] = ["`".join(parts[-2:])]
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def paragraphs(text: str) -> Markup:
    r"""Prose in which a blank line begins a new paragraph and every other line end is kept.

    >>> paragraphs("a\nb\n\nc")
    Markup('<p>a<br>b</p><p>c</p>')
    """
    blocks = [block.split("\n") for block in _BLANK_LINES.split(printable(text).strip("\n"))]
    return Markup().join(
        Markup("<p>{}</p>").format(Markup("<br>").join(prose(line) for line in lines)) for lines in blocks
    )


def breakable(name: str) -> Markup:
    """A name that may be broken after its underscores where space is short.

    >>> breakable("set_diagonal")
    Markup('set_<wbr>diagonal')
    """
    return Markup("_<wbr>").join(one_line(name).split("_"))


@cache
def _css() -> Markup:
    """The style sheet; ours, so it is not escaped."""
    return Markup(files("grader.presentation").joinpath("static/report.css").read_text(encoding="utf-8"))  # noqa: S704


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=PackageLoader("grader.presentation"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return dressed(environment)


def dressed(environment: Environment) -> Environment:
    """The environment with the filters and words that our templates use; the web server's uses them too."""
    environment.filters |= {
        "breakable": breakable,
        "counted": counted,
        "duration": duration_text,
        "inert": printable,
        "one_line": one_line,
        "paragraphs": paragraphs,
        "points": points_text,
        "prose": prose,
        "wait": wait_text,
    }
    environment.globals |= {
        "family_title": FAMILY_TITLE,
        "hidden_text": hidden_text,
        "lesson_title": lesson_title,
        "changed_text": changed_text,
        "left_text": left_text,
        "score_text": score_text,
        "verdict_counts": verdict_counts,
    }
    return environment
