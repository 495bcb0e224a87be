"""Words, signs and numbers that pages and terminal share, so that both say the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import ceil

from grader.domain.results import Progress, Stage
from grader.domain.reviewing import RequestState
from grader.domain.text import one_line
from grader.domain.verdicts import Verdict, Visibility
from grader.domain.view import HiddenChecks, ReportView


class Tone(StrEnum):
    """How a verdict should feel; never shown by colour alone."""

    GOOD = "good"
    BAD = "bad"
    CALM = "calm"


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One verdict in a word, with a sign beside it."""

    label: str
    sign: str
    tone: Tone


VERDICT_WORDS: dict[Verdict, Word] = {
    Verdict.PASSED: Word(label="passed", sign="✓", tone=Tone.GOOD),
    Verdict.FAILED: Word(label="failed", sign="✗", tone=Tone.BAD),
    Verdict.CRASHED: Word(label="crashed", sign="✗", tone=Tone.BAD),
    Verdict.TIMED_OUT: Word(label="timed out", sign="✗", tone=Tone.BAD),
    Verdict.OUT_OF_MEMORY: Word(label="out of memory", sign="✗", tone=Tone.BAD),
    Verdict.SKIPPED: Word(label="skipped", sign="○", tone=Tone.CALM),
    Verdict.INCONCLUSIVE: Word(label="undecided, points given", sign="≈", tone=Tone.CALM),
    Verdict.INTERNAL_ERROR: Word(label="not graded", sign="○", tone=Tone.CALM),
}

HIDDEN_UNTIL: dict[Visibility, str] = {
    Visibility.VISIBLE: "until now",
    Visibility.AFTER_DUE: "until the due date",
    Visibility.AFTER_PUBLISHED: "until grades are released",
    Visibility.HIDDEN: "permanently",
}

STAGE_WORDS: dict[Stage, str] = {
    Stage.QUEUED: "waiting",
    Stage.LOADING: "loading the file",
    Stage.CHECKING: "checking",
    Stage.SCORING: "adding up",
    Stage.DONE: "done",
}

REQUEST_WORDS: dict[RequestState, str] = {
    RequestState.OPEN: "waiting for an answer",
    RequestState.ACCEPTED: "accepted",
    RequestState.DECLINED: "declined",
    RequestState.WITHDRAWN: "taken back",
}

_HUNDREDTHS = 100


def points_text(points: Fraction | None) -> str:
    """Points as people write them: whole, with up to two decimals, else as a fraction.

    >>> points_text(Fraction(3)), points_text(Fraction(7, 2)), points_text(Fraction(1, 3)), points_text(None)
    ('3', '3.5', '1/3', 'not graded')
    """
    if points is None:
        return "not graded"
    if points.denominator == 1:
        return str(points.numerator)
    if _HUNDREDTHS % points.denominator == 0:
        return f"{float(points):.2f}".rstrip("0")
    return f"{points.numerator}/{points.denominator}"


def counted_points(points: Fraction) -> str:
    """Such as "1 point" and "3.5 points"."""
    return f"{points_text(points)} point{'' if points == 1 else 's'}"


def score_text(earned: Fraction | None, points: Fraction) -> str:
    """Such as "3.5 / 4"."""
    return f"{points_text(earned)} / {points_text(points)}"


def left_text(left: Fraction | None, points: Fraction, *, found: Fraction | None, changed: bool) -> str:
    """A score as staff left it, beside what was found where they changed it.

    >>> left_text(Fraction(3), Fraction(4), found=Fraction(1), changed=True)
    '3 / 4, set by staff (found: 1)'
    >>> left_text(Fraction(1), Fraction(4), found=Fraction(1), changed=False)
    '1 / 4'
    """
    score = score_text(left, points)
    return f"{score}, set by staff (found: {points_text(found)})" if changed else score


def changed_text(left: Fraction, *, found: Fraction) -> str:
    """How the points in view came about where staff changed them.

    >>> changed_text(Fraction(4), found=Fraction(7, 2))
    '3.5 found by the checks, +0.5 by course staff'
    """
    sign = "+" if left > found else "\N{MINUS SIGN}"
    return f"{points_text(found)} found by the checks, {sign}{points_text(abs(left - found))} by course staff"


def counted(number: int, noun: str) -> str:
    """Such as "1 check" and "2 checks"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def verdict_counts(view: ReportView) -> str:
    """Such as "9 passed, 2 failed, 1 timed out"; verdicts that did not occur are left out."""
    found = Counter(check.verdict for check in view.checks)
    return ", ".join(
        f"{found[verdict]} {word.label}" for verdict, word in VERDICT_WORDS.items() if found[verdict]
    )


def hidden_text(hidden: Iterable[HiddenChecks]) -> str:
    """What the reader should know about checks not shown; empty if there are none."""
    parts = list(hidden)
    if not parts:
        return ""
    total = sum(part.count for part in parts)
    worth = counted_points(sum((part.points for part in parts), Fraction(0)))
    they = "It counts" if total == 1 else "They count"
    return (
        f"{counted(total, 'more check')}, worth {worth}, {_hidden_when(parts, one=total == 1)}. "
        f"{they} too, so your final score may differ."
    )


def _hidden_when(parts: Sequence[HiddenChecks], *, one: bool) -> str:
    """Such as "are not shown (2 until the due date, 1 permanently)"; without numbers where all are alike."""
    verb = "is" if one else "are"
    if len(parts) > 1:
        listed = ", ".join(f"{part.count} {HIDDEN_UNTIL[part.visibility]}" for part in parts)
        return f"{verb} not shown ({listed})"
    if parts[0].visibility is Visibility.HIDDEN:
        return "stays hidden" if one else "stay hidden"
    return f"{verb} not shown {HIDDEN_UNTIL[parts[0].visibility]}"


def duration_text(seconds: float) -> str:
    """A time with two or three digits and the unit that suits it.

    >>> duration_text(0.00021), duration_text(0.0112), duration_text(2.5), duration_text(150)
    ('210 µs', '11.2 ms', '2.5 s', '2 min 30 s')
    """
    if seconds >= 60:  # noqa: PLR2004 - a minute
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes} min {rest} s"
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def wait_text(seconds: float) -> str:
    """A wait that nobody knows exactly, rounded up to whole seconds or, from a minute on, to whole minutes.

    >>> wait_text(0.2), wait_text(4.78), wait_text(59.7), wait_text(200), wait_text(7300)
    ('1 s', '5 s', '1 min', '4 min', '2 h 2 min')
    """
    whole = max(1, ceil(seconds))
    if whole < 60:  # noqa: PLR2004 - a minute
        return f"{whole} s"
    hours, minutes = divmod(ceil(whole / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def progress_text(progress: Progress) -> str:
    """One live step in words.

    >>> progress_text(Progress(stage=Stage.CHECKING, check_id="smooth.jit.fast", done=3, total=9))
    'checking 4 of 9: smooth.jit.fast'
    """
    word = STAGE_WORDS[progress.stage]
    if progress.stage is not Stage.CHECKING or not progress.total:
        return word
    running = min(progress.done + 1, progress.total)
    suffix = f": {progress.check_id}" if progress.check_id else ""
    return f"{word} {running} of {progress.total}{suffix}"


LESSON_TITLES: dict[str, str] = {
    "#pure-functions": "Pure functions",
    "#immutability": "Immutability",
    "#prng-keys": "PRNG keys",
    "#tracing-and-jit": "Tracing and jit",
    "#control-flow": "Control flow",
    "#speed": "Speed",
    "#data-types": "Data types",
    "#devices": "Devices",
}


def lesson_title(anchor: str) -> str:
    """A lesson's section by its anchor.

    >>> lesson_title("#prng-keys"), lesson_title("#running-statistics")
    ('PRNG keys', 'Running statistics')
    """
    return LESSON_TITLES.get(anchor) or one_line(anchor.lstrip("#").replace("-", " "), 60).capitalize()
