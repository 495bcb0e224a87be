"""Reports as self-contained HTML: one file each, no script, nothing loaded from elsewhere, printable.

Templates escape everything; the only markup made in Python is the code element that replaces backticks. A
Content-Security-Policy in the page forbids scripts and connections even if a browser were fooled.
"""

from __future__ import annotations

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
from grader.presentation.page import Heading, page_of
from grader.presentation.words import (
    counted,
    duration_text,
    hidden_text,
    lesson_title,
    points_text,
    score_text,
    verdict_counts,
)

__all__ = ["Heading", "IndexRow", "render_index", "render_report"]


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


def render_report(view: ReportView, *, source: SubmittedFiles, heading: Heading) -> str:
    """One report as an HTML document."""
    page = page_of(view, source=source, heading=heading)
    return page_from("report.html", page=page, view=view)


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
    environment.filters |= {
        "breakable": breakable,
        "counted": counted,
        "duration": duration_text,
        "inert": printable,
        "one_line": one_line,
        "points": points_text,
        "prose": prose,
    }
    environment.globals |= {
        "family_title": FAMILY_TITLE,
        "hidden_text": hidden_text,
        "lesson_title": lesson_title,
        "score_text": score_text,
        "verdict_counts": verdict_counts,
    }
    return environment
