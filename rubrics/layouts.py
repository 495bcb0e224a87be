"""How a suite says where arrays lie: ``split(0)``, ``whole``, ``on(3)``."""

from __future__ import annotations

from grader.engine.layouts import WHOLE, Layout, LayoutKind

Given = Layout | tuple[Layout | None, ...] | None
"""One layout for all arrays, one for each argument or part of the result, or none asked for."""

whole = WHOLE
"""Every device holds all of it."""


def split(axis: int = 0) -> Layout:
    """Every device holds an equal part, cut along `axis`."""
    return Layout(kind=LayoutKind.SPLIT, number=axis)


def on(device: int) -> Layout:
    """The device with this number holds it. ValueError for a negative one."""
    if device < 0:
        raise ValueError(f"devices are numbered from 0, not {device}")
    return Layout(kind=LayoutKind.ON, number=device)


def for_part(given: Given, position: int) -> Layout | None:
    """The layout of one argument, or part of a result."""
    if not isinstance(given, tuple):
        return given
    return given[position] if position < len(given) else None
