"""Geometry of the timing plot: where each dot, tick and line of the drawing lies.

The plot has one row for each program, a dot for each measured run, and time running to the right on a
logarithmic scale. It can be read without colour: rows are labelled, dots have a shape of their own, the
median is a bar, the threshold a dashed line with its text.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from grader.presentation.exhibits import Timing, plausible
from grader.presentation.words import duration_text

WIDTH = 460.0
LEFT = 88.0
RIGHT = 18.0
TOP = 34.0
ROW_HEIGHT = 36.0
AXIS_HEIGHT = 34.0
MOST_DOTS = 80
_STEPS = (1, 2, 5)
_MOST_TICKS = 7
_LABEL_HALF = 64.0
_LANES = (0.0, -5.0, 5.0, -2.5, 2.5, -7.5, 7.5)
"""Dots are drawn at several heights, so that runs of the same length stay countable."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One program's runs. Positions are in the drawing's units."""

    label: str
    shape: str
    y: float
    dots: tuple[tuple[float, float], ...]
    """x and y of each run."""
    median_x: float
    median_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A position along the axis, with its text."""

    x: float
    text: str
    anchor: str = "middle"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimingPlot:
    """All that the drawing needs; `interval` spans the student's times that the speedup's interval allows."""

    width: float
    height: float
    left: float
    right: float
    top: float
    bottom: float
    rows: tuple[Row, ...]
    ticks: tuple[Mark, ...]
    threshold: Mark | None
    interval: tuple[float, float, float] | None
    """x from, x to, y."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scale:
    low: float
    high: float

    def x(self, seconds: float) -> float:
        span = math.log(self.high / self.low)
        share = math.log(seconds / self.low) / span
        return round(LEFT + min(max(share, 0.0), 1.0) * (WIDTH - LEFT - RIGHT), 1)


def timing_plot(timing: Timing) -> TimingPlot | None:
    """The plot, or None where there are no times of the student's."""
    if not timing.student:
        return None
    programs = [
        (label, shape, runs)
        for label, shape, runs in (
            ("yours", "circle", timing.student),
            ("baseline", "square", timing.baseline),
            ("reference", "diamond", timing.reference),
        )
        if runs
    ]
    needed_s = _needed_seconds(timing)
    shown = [seconds for _, _, runs in programs for seconds in runs] + ([needed_s] if needed_s else [])
    scale = _Scale(low=min(shown) / 1.4, high=max(shown) * 1.4)
    rows = tuple(
        _row(label, shape, runs, y=TOP + ROW_HEIGHT * (number + 0.5), scale=scale)
        for number, (label, shape, runs) in enumerate(programs)
    )
    bottom = TOP + ROW_HEIGHT * len(rows)
    return TimingPlot(
        width=WIDTH,
        height=bottom + AXIS_HEIGHT,
        left=LEFT,
        right=WIDTH - RIGHT,
        top=TOP,
        bottom=bottom,
        rows=rows,
        ticks=_ticks(scale),
        threshold=_threshold(timing, needed_s, scale),
        interval=_interval(timing, rows[0].y, scale),
    )


def _needed_seconds(timing: Timing) -> float | None:
    """The student's run time at which the asked speedup is just reached."""
    return _of_baseline(timing, timing.needed)


def _of_baseline(timing: Timing, ratio: float | None) -> float | None:
    """The run time that is `ratio` times as fast as the baseline's median; None if there is no such time."""
    if not timing.baseline or not ratio or ratio <= 0:
        return None
    seconds = statistics.median(timing.baseline) / ratio
    return seconds if plausible(seconds) else None


def _row(label: str, shape: str, runs: Sequence[float], *, y: float, scale: _Scale) -> Row:
    median = statistics.median(runs)
    return Row(
        label=label,
        shape=shape,
        y=y,
        dots=tuple(
            (scale.x(seconds), y + _LANES[number % len(_LANES)])
            for number, seconds in enumerate(runs[:MOST_DOTS])
        ),
        median_x=scale.x(median),
        median_text=duration_text(median),
    )


def _ticks(scale: _Scale) -> tuple[Mark, ...]:
    """Round times along the axis: decades, with 2 and 5 between them where there is room."""
    first, last = math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high))
    fine = [step * 10.0**power for power in range(first, last + 1) for step in _STEPS]
    inside = [seconds for seconds in fine if scale.low <= seconds <= scale.high]
    if len(inside) > _MOST_TICKS:
        inside = [10.0**power for power in range(first, last + 1) if scale.low <= 10.0**power <= scale.high]
    every = max(1, math.ceil(len(inside) / _MOST_TICKS))
    return tuple(Mark(x=scale.x(seconds), text=duration_text(seconds)) for seconds in inside[::every])


def _threshold(timing: Timing, needed_s: float | None, scale: _Scale) -> Mark | None:
    if needed_s is None or timing.needed is None:
        return None
    x = scale.x(needed_s)
    anchor = "start" if x < LEFT + _LABEL_HALF else "end" if x > WIDTH - RIGHT - _LABEL_HALF else "middle"
    return Mark(
        x=x,
        text=f"asked for: {duration_text(needed_s)}",
        anchor=anchor,
    )


def _interval(timing: Timing, y: float, scale: _Scale) -> tuple[float, float, float] | None:
    fast, slow = _of_baseline(timing, timing.high), _of_baseline(timing, timing.low)
    if fast is None or slow is None:
        return None
    return (scale.x(fast), scale.x(slow), y)
