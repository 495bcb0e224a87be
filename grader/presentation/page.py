"""Everything a report's page shows, put together before the template sees it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from urllib.parse import urlsplit

from grader.domain.catalogue import RenderedFeedback
from grader.domain.submission import SubmittedFiles
from grader.domain.text import printable
from grader.domain.verdicts import Verdict
from grader.domain.view import CheckView, CriterionView, ReportView
from grader.presentation.cards import Card, CardMaker
from grader.presentation.changes import Change, Request, set_points
from grader.presentation.listing import Listing, Note, line_count, listing_of
from grader.presentation.reading import block_of
from grader.presentation.remarks import Remark, place
from grader.presentation.words import VERDICT_WORDS, Word

LINKABLE = {"", "http", "https", "file"}
"""Schemes of a lesson's address that become a link; anything else is shown as text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What stands above a report. `lesson_url` is where the lesson's anchors lead; empty for no links.

    `adjusted` is what the points in view are after staff changed them; None where they did not.
    """

    title: str
    student: str = ""
    submitted_at: datetime | None = None
    submission: int | None = None
    attempt: int | None = None
    lesson_url: str = ""
    adjusted: Fraction | None = None

    @property
    def byline(self) -> str:
        """Who, which submission, when; without what is not known."""
        numbers = []
        if self.submission is not None:
            numbers.append(f"submission {self.submission}")
        if self.attempt is not None:
            numbers.append(f"attempt {self.attempt}")
        when = self.submitted_at
        parts = [
            printable(self.student, limit=120),
            ", ".join(numbers),
            f"submitted {when:%Y-%m-%d %H:%M %Z}".strip() if when else "",
        ]
        return " · ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """One finding that cost points, with all the cards that it cost them in; the first says it in full."""

    cards: tuple[Card, ...]
    detail: str = ""
    """Its message, where another finding has the same title and place."""

    @property
    def feedback(self) -> RenderedFeedback | None:
        return self.cards[0].feedback

    @property
    def anchor(self) -> str:
        return self.cards[0].anchor

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions it was found in, in the page's order."""
        return tuple(dict.fromkeys(card.function for card in self.cards))

    @property
    def worth(self) -> Fraction:
        """What its checks are worth together."""
        return sum((card.check.points for card in self.cards), Fraction(0))

    @property
    def points(self) -> Fraction:
        """What it cost."""
        return self.worth - sum((card.earned or Fraction(0) for card in self.cards), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One criterion on the page; `open` cards have something to say, of `passed` ones a line is enough."""

    anchor: str
    criterion: CriterionView
    word: Word
    open: tuple[Card, ...]
    passed: tuple[Card, ...]

    @property
    def earned(self) -> Fraction | None:
        """Points as staff left them; None as soon as one check has none."""
        parts = [card.earned for card in (*self.open, *self.passed)]
        return None if None in parts else sum((part or Fraction(0) for part in parts), Fraction(0))

    @property
    def changed(self) -> bool:
        """Whether staff set a check of it."""
        return any(card.set_to is not None for card in (*self.open, *self.passed))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """All criteria of one function."""

    function: str
    sections: tuple[Section, ...]

    @property
    def points(self) -> Fraction:
        return sum((section.criterion.points for section in self.sections), Fraction(0))

    @property
    def earned(self) -> Fraction:
        """Points over the checks that were graded, as staff left them."""
        cards = [card for section in self.sections for card in (*section.open, *section.passed)]
        return sum((card.earned for card in cards if card.earned is not None), Fraction(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A whole report."""

    heading: Heading
    view: ReportView
    chapters: tuple[Chapter, ...]
    listings: tuple[Listing, ...]
    output: str
    remarks: tuple[Remark, ...] = ()
    """What staff say about the whole."""
    changes: tuple[Change, ...] = ()
    requests: tuple[Request, ...] = ()

    @property
    def lost(self) -> tuple[Loss, ...]:
        """What cost points, in the page's order; what is said of one line of a function is said once."""
        found: defaultdict[str, list[Card]] = defaultdict(list)
        first: dict[tuple[str, str, str], str] = {}
        for chapter in self.chapters:
            for section in chapter.sections:
                for card in section.open:
                    if card.earned is not None and card.earned < card.check.points:
                        own = card.repeats or card.anchor
                        feedback = card.feedback
                        if feedback is not None and feedback.place:
                            own = first.setdefault((card.function, feedback.code, feedback.place), own)
                        found[own].append(card)
        return _told_apart([Loss(cards=tuple(cards)) for cards in found.values()])

    @property
    def points(self) -> Fraction:
        """Points in view, as staff left them."""
        return self.view.score if self.heading.adjusted is None else self.heading.adjusted

    @property
    def share(self) -> float:
        """Part of the points in view, 0 to 1; staff may give more than there are."""
        return min(1.0, float(self.points / self.view.max_score)) if self.view.max_score else 0.0


def _told_apart(losses: Sequence[Loss]) -> tuple[Loss, ...]:
    """The losses; where two would read the same, each with its message."""
    names = [loss.feedback and (loss.feedback.title, loss.feedback.place) for loss in losses]
    return tuple(
        replace(loss, detail=loss.feedback.message) if loss.feedback and names.count(name) > 1 else loss
        for loss, name in zip(losses, names, strict=True)
    )


def page_of(
    view: ReportView,
    *,
    source: SubmittedFiles,
    heading: Heading,
    remarks: Sequence[Remark] = (),
    changes: Sequence[Change] = (),
    requests: Sequence[Request] = (),
) -> Page:
    """The page of one report, with what staff say beside it."""
    anchors = {check.id: f"c{number}" for number, check in enumerate(view.checks, start=1)}
    notes = _notes(view.checks, anchors, entry=source.entry)
    files = sorted(source.files, key=lambda file: (file.name != source.entry, file.name))
    placed = place(remarks, lines={file.name: line_count(file) for file in files}, checks=anchors.keys())
    listings = tuple(
        listing_of(file, notes.get(file.name, {}), remarks=placed.by_line.get(file.name, {}))
        for file in files
    )
    maker = CardMaker(
        anchors=anchors,
        listings={item.name: (f"f{number}", item) for number, item in enumerate(listings)},
        source=source,
        lesson_url=heading.lesson_url if _linkable(heading.lesson_url) else "",
        remarks=placed.by_check,
        set_to=set_points(changes),
    )
    return Page(
        heading=heading,
        view=view,
        chapters=_chapters(view.criteria, maker),
        listings=listings,
        output=block_of(view.output, limit=20_000),
        remarks=placed.general,
        changes=tuple(changes),
        requests=tuple(requests),
    )


def _notes(
    checks: Iterable[CheckView], anchors: Mapping[str, str], *, entry: str
) -> Mapping[str, Mapping[int, Sequence[Note]]]:
    """By file and line, what feedback points there."""
    notes: defaultdict[str, defaultdict[int, list[Note]]] = defaultdict(lambda: defaultdict(list))
    for check in checks:
        feedback = check.feedback
        if feedback is not None and feedback.line is not None and check.verdict is not Verdict.PASSED:
            note = Note(anchor=anchors[check.id], title=feedback.title)
            notes[feedback.file or entry][feedback.line].append(note)
    return {file: {line: _merged(said) for line, said in by_line.items()} for file, by_line in notes.items()}


def _merged(notes: Sequence[Note]) -> Sequence[Note]:
    """Each title once, with how many checks say it."""
    counts = Counter(note.title for note in notes)
    first = {note.title: note for note in reversed(notes)}
    return [replace(first[title], times=times) for title, times in counts.items()]


def _linkable(url: str) -> bool:
    try:
        return bool(url) and urlsplit(url).scheme in LINKABLE
    except ValueError:
        return False


def _chapters(criteria: Iterable[CriterionView], maker: CardMaker) -> tuple[Chapter, ...]:
    grouped: defaultdict[str, list[Section]] = defaultdict(list)
    for number, criterion in enumerate(criteria, start=1):
        cards = [maker.card(check, function=criterion.function) for check in criterion.checks]
        section = Section(
            anchor=f"k{number}",
            criterion=criterion,
            word=VERDICT_WORDS[criterion.verdict],
            open=tuple(card for card in cards if card.feedback is not None),
            passed=tuple(card for card in cards if card.feedback is None),
        )
        grouped[criterion.function].append(section)
    return tuple(Chapter(function=name, sections=tuple(sections)) for name, sections in grouped.items())
