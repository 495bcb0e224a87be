"""Reports for a terminal: the same words as on the page, and plain readable text where there is no terminal.

Everything returned here is a rich renderable. Text from strangers is put in as `Text`, never as markup, and
is inert. Nothing is said by colour alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby

from rich import box
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from grader.domain.results import Progress
from grader.domain.submission import SubmittedFiles
from grader.domain.text import mid_sentence, one_line
from grader.domain.verdicts import FAMILY_TITLE, Verdict
from grader.domain.view import ReportView
from grader.presentation.cards import Card
from grader.presentation.changes import Change
from grader.presentation.legible import Legible
from grader.presentation.page import Chapter, Heading, Page, page_of
from grader.presentation.terminal_evidence import exhibit_lines
from grader.presentation.words import (
    VERDICT_WORDS,
    Tone,
    changed_text,
    counted,
    duration_text,
    hidden_text,
    left_text,
    lesson_title,
    points_text,
    progress_text,
    score_text,
    verdict_counts,
)

_STYLE = {Tone.GOOD: "green", Tone.BAD: "bold red", Tone.CALM: "yellow"}
_INDENT = (0, 0, 0, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptRow:
    """One attempt in a table of many. `progress` is None once it is graded."""

    name: str
    about: str = ""
    progress: Progress | None = None
    position: int | None = None
    """Place in the queue, 1 for the next."""
    score: Fraction | None = None
    max_score: Fraction | None = None
    lost: tuple[str, ...] = ()
    """What cost points, one short line each."""
    graded: bool = True


def report(
    view: ReportView, *, source: SubmittedFiles, heading: Heading, changes: Sequence[Change] = ()
) -> RenderableType:
    """The full report of one attempt, with points as staff left them."""
    page = page_of(view, source=source, heading=heading, changes=changes)
    return Legible(
        Group(
            *_head(page),
            Text(),
            _criteria_table(page.chapters),
            *(part for chapter in page.chapters for part in _chapter(chapter)),
            *_tail(view),
        )
    )


def results_table(rows: Sequence[AttemptRow], *, title: str = "") -> RenderableType:
    """Many attempts with their scores, or with what is happening to them."""
    table = Table(
        title=title or None, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False
    )
    table.add_column("Submission", no_wrap=True)
    table.add_column("Points", justify="right", no_wrap=True)
    table.add_column("State or points lost in", overflow="fold")
    for row in rows:
        table.add_row(Text(one_line(row.name, 60)), _points_cell(row), _state_cell(row))
    return Legible(table)


def progress_line(row: AttemptRow) -> str:
    """One attempt's state as a plain line, for output that cannot be redrawn."""
    name = one_line(row.name, 60)
    if row.progress is not None:
        return f"{name}: {_progress_words(row)}"
    if row.score is None or row.max_score is None:
        return f"{name}: not graded"
    return f"{name}: {score_text(row.score, row.max_score)} points"


def _points_cell(row: AttemptRow) -> Text:
    if row.progress is not None:
        return Text("…", style="dim")
    if row.score is None or row.max_score is None:
        return Text("-", style="yellow")
    full = row.score == row.max_score and row.graded
    return Text(score_text(row.score, row.max_score), style="green" if full else "")


def _state_cell(row: AttemptRow) -> Text:
    if row.progress is not None:
        return Text(_progress_words(row), style="cyan")
    lines = [one_line(line, 160) for line in row.lost]
    if not row.graded:
        lines.append("not fully graded: our fault, costs no points")
    return Text("\n".join(lines)) if lines else Text("nothing lost", style="green")


def _progress_words(row: AttemptRow) -> str:
    words = progress_text(row.progress) if row.progress else ""
    return f"{words}, number {row.position} in the queue" if row.position is not None else words


def _head(page: Page) -> Iterator[RenderableType]:
    view, heading = page.view, page.heading
    yield Rule(Text(one_line(heading.title), style="bold"), align="left", style="dim")
    if heading.byline:
        yield Text(heading.byline, style="dim")
    line = Text(f"{points_text(page.points)} of {points_text(view.max_score)} points", style="bold")
    yield line.append(f"   {verdict_counts(view)}", style="not bold")
    if heading.adjusted is not None:
        yield Text(changed_text(page.points, found=view.score))
    if not view.graded:
        yield Text(
            "Part of this is not graded, through no fault of the student's. That costs no points.",
            style="yellow",
        )
    if view.hidden:
        yield Text(hidden_text(view.hidden))
    if view.flags:
        yield Text(f"For a look by staff: {', '.join(one_line(flag) for flag in view.flags)}", style="yellow")


def _criteria_table(chapters: Iterable[Chapter]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for title in ("Function", "Criterion", "Verdict"):
        table.add_column(title, overflow="fold")
    table.add_column("Points", justify="right", no_wrap=True)
    for chapter in chapters:
        for number, section in enumerate(chapter.sections):
            table.add_row(
                Text("" if number else one_line(chapter.function, 60)),
                FAMILY_TITLE[section.criterion.family],
                _verdict(section.criterion.verdict),
                left_text(
                    section.earned,
                    section.criterion.points,
                    found=section.criterion.earned,
                    changed=section.changed,
                ),
            )
    return table


def _verdict(verdict: Verdict) -> Text:
    word = VERDICT_WORDS[verdict]
    return Text(f"{word.sign} {word.label}", style=_STYLE[word.tone])


def _chapter(chapter: Chapter) -> Iterator[RenderableType]:
    open_cards = [(section, card) for section in chapter.sections for card in section.open]
    if not open_cards:
        return
    yield Text()
    yield Rule(Text(one_line(chapter.function, 60), style="bold"), align="left", style="dim")
    for _, alike in groupby(open_cards, key=lambda pair: _said_by(pair[1])):
        cards = list(alike)
        yield Text()
        for section, card in cards:
            yield _check_title(card, FAMILY_TITLE[section.criterion.family])
        yield Padding(Group(*_card(cards[0][1])), _INDENT)


def _said_by(card: Card) -> str:
    """The card that says all that this one has to say; checks in a row that repeat one are told together."""
    return card.repeats if card.repeats and not card.reworded else card.anchor


def _check_title(card: Card, family: str) -> Text:
    check, changed = card.check, card.set_to is not None
    points = left_text(card.earned, check.points, found=check.earned, changed=changed)
    return Text.assemble(
        _verdict(check.verdict),
        (f"  {one_line(check.title)}", "bold"),
        (f"  ({mid_sentence(family)}, {points})", "dim"),
    )


def _card(card: Card) -> Iterator[RenderableType]:
    feedback = card.feedback
    if feedback is None:
        return
    if card.repeats:
        place = f", {feedback.place}" if feedback.place else ""
        message = f" {feedback.message}" if card.reworded else ""
        yield prose(f"{feedback.title}{place}.{message} Said in full above.")
        return
    yield prose(f"{feedback.title}. {feedback.message}")
    if card.excerpt:
        yield _excerpt(card)
    for shown in card.shown:
        yield from exhibit_lines(shown.exhibit)
    yield Text()
    yield _labelled("Why it matters", feedback.why)
    yield _labelled("What to try next", feedback.hint)
    if feedback.example:
        yield Padding(Text(feedback.example, style="cyan"), _INDENT)
    if feedback.lesson:
        yield _labelled(
            "Lesson", f"{lesson_title(feedback.lesson)}{f' ({card.lesson_href})' if card.lesson_href else ''}"
        )


def _excerpt(card: Card) -> Text:
    text = Text()
    for line in card.excerpt:
        pointer = ">" if line.marked else " "
        text.append(f"{pointer} {line.label:>5} | {line.text}\n", style="bold" if line.marked else "dim")
    text.right_crop(1)
    return text


def _labelled(label: str, text: str) -> Text:
    return Text(f"{label}: ", style="bold").append_text(Text(style="not bold").append_text(prose(text)))


def _tail(view: ReportView) -> Iterator[RenderableType]:
    yield Text()
    for notice in view.notices:
        yield Text("Notice, costs no points: ").append_text(prose(notice.message))
    environment = view.environment
    parts = [
        f"version {one_line(view.version[:12])}",
        f"jax {one_line(environment.jax)}",
        f"Python {one_line(environment.python)}",
        one_line(environment.device),
        duration_text(view.seconds),
        f"sealed by {counted(len(environment.layers), 'layer')}" if environment.layers else "not sealed",
    ]
    yield Text(", ".join(parts), style="dim")
    if view.seed is not None:
        yield Text(f"seed {one_line(view.seed)}", style="dim")


def prose(text: str) -> Text:
    """Inert text in which code is set apart; the backticks stay, for where there is no colour."""
    shown = Text()
    for number, part in enumerate(one_line(text, 2_000).split("`")):
        shown.append(f"`{part}`" if number % 2 else part, style="cyan" if number % 2 else "")
    return shown
