"""The cards of a report: one check each, with its excerpt, its evidence, and what staff say about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from grader.domain.catalogue import RenderedFeedback
from grader.domain.submission import SubmittedFiles
from grader.domain.view import CheckView, Disclosure, place_in
from grader.presentation.evidence import exhibit_of
from grader.presentation.exhibits import Exhibit, Timing
from grader.presentation.listing import Line, Listing
from grader.presentation.plots import TimingPlot, timing_plot
from grader.presentation.remarks import Remark
from grader.presentation.words import VERDICT_WORDS, Word

_SECONDS = re.compile(r"[0-9]+(\.[0-9]+)? seconds?\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One exhibit, with its plot where it has one."""

    exhibit: Exhibit
    plot: TimingPlot | None = None

    @property
    def template(self) -> str:
        return f"evidence/{self.exhibit.kind.value}.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One check on the page. `repeats` is the anchor of an earlier card that says the same in full."""

    anchor: str
    function: str
    check: CheckView
    word: Word
    line_anchor: str
    excerpt: tuple[Line, ...]
    shown: tuple[Shown, ...]
    lesson_href: str
    remarks: tuple[Remark, ...] = ()
    set_to: Fraction | None = None
    """What staff set its points to."""
    repeats: str = ""
    reworded: bool = False
    """Whether it repeats the other card in all but a number of seconds."""

    @property
    def feedback(self) -> RenderedFeedback | None:
        return self.check.feedback

    @property
    def earned(self) -> Fraction | None:
        """Points as staff left them; None where it was not graded."""
        return self.check.earned if self.set_to is None else self.set_to


@dataclass(frozen=True, slots=True, kw_only=True)
class CardMaker:
    """Makes cards in the page's order; `said` holds what they have said: the anchor of who did, the words."""

    anchors: Mapping[str, str]
    listings: Mapping[str, tuple[str, Listing]]
    source: SubmittedFiles
    lesson_url: str
    remarks: Mapping[str, Sequence[Remark]] = field(default_factory=dict)
    """By check, what staff say about it."""
    set_to: Mapping[str, Fraction] = field(default_factory=dict)
    """By check, the points that staff set."""
    said: dict[tuple[str, str, str], tuple[str, str]] = field(default_factory=dict)

    def card(self, check: CheckView, *, function: str) -> Card:
        """The card of one check."""
        feedback = check.feedback
        file, listing = self.listings.get((feedback and feedback.file) or self.source.entry, ("", None))
        line = feedback.line if feedback else None
        said = feedback.message if feedback else ""
        repeats, words = self._said_before(check)
        excerpt = listing.around(line) if listing and line is not None else ()
        return Card(
            anchor=self.anchors[check.id],
            function=function,
            check=check,
            word=VERDICT_WORDS[check.verdict],
            line_anchor=f"{file}-L{line}" if excerpt else "",
            excerpt=excerpt,
            shown=tuple(_shown(exhibit_of(item, place=self._place)) for item in check.evidence),
            lesson_href=self.lesson_url + feedback.lesson
            if self.lesson_url and feedback and feedback.lesson
            else "",
            remarks=tuple(self.remarks.get(check.id, ())),
            set_to=self.set_to.get(check.id),
            repeats=repeats,
            reworded=bool(repeats) and check.disclosure is Disclosure.FULL and words != said,
        )

    def _place(self, file: str, line: int) -> str:
        return place_in(self.source, line, file=file or None)

    def _said_before(self, check: CheckView) -> tuple[str, str]:
        """The anchor and the words of the card that has said this already; empty for the first.

        A number of seconds makes no difference: the limits of checks are not alike.
        """
        feedback = check.feedback
        if feedback is None or check.earned == check.points:
            return "", ""
        # A hidden check is told without particulars: it repeats whatever was said of the same place.
        general = check.disclosure is Disclosure.GENERAL
        message = "" if general else _SECONDS.sub("seconds", feedback.message)
        own = (self.anchors[check.id], feedback.message)
        first = self.said.setdefault((feedback.code, feedback.place, message), own)
        self.said.setdefault((feedback.code, feedback.place, ""), own)
        return ("", "") if first == own else first


def _shown(exhibit: Exhibit) -> Shown:
    return Shown(exhibit=exhibit, plot=timing_plot(exhibit) if isinstance(exhibit, Timing) else None)
