"""Geometry of bar charts: where each bar, number and label of the drawing lies.

They can be read without colour: every bar carries its number, and the axis its words. The page shows the same
numbers in a table beside the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH = 640.0
HEIGHT = 180.0
TOP = 20.0
BOTTOM = 26.0
_GAP = 0.2
"""Share of a bar's place that stays empty."""

_WIDEST = 56.0
"""A bar of few is no wall."""

_MOST_LABELS = 12
_MOST_NUMBERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One bar. Positions are in the drawing's units; a text that is left out is empty."""

    x: float
    y: float
    width: float
    height: float
    middle: float
    number: str
    label: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """All that the drawing needs."""

    width: float
    height: float
    base: float
    bars: tuple[Bar, ...]


def bar_chart(values: Sequence[tuple[str, int]]) -> BarChart:
    """A chart of labelled counts, from left to right; an empty one for no values.

    >>> chart = bar_chart([("Mon", 1), ("Tue", 4)])
    >>> [bar.height for bar in chart.bars], chart.bars[1].title
    ([33.5, 134.0], 'Tue: 4')
    """
    base = HEIGHT - BOTTOM
    highest = max((count for _, count in values), default=0) or 1
    place = WIDTH / max(len(values), 1)
    every = -(-len(values) // _MOST_LABELS) or 1
    bars = []
    for at, (label, count) in enumerate(values):
        height = (base - TOP) * count / highest
        width = min(place * (1 - _GAP), _WIDEST)
        bars.append(
            Bar(
                x=round((at + 0.5) * place - width / 2, 2),
                y=round(base - height, 2),
                width=round(width, 2),
                height=round(height, 2),
                middle=round((at + 0.5) * place, 2),
                number=str(count) if count and len(values) <= _MOST_NUMBERS else "",
                label=label if at % every == 0 else "",
                title=f"{label}: {count}",
            )
        )
    return BarChart(width=WIDTH, height=HEIGHT, base=base, bars=tuple(bars))
