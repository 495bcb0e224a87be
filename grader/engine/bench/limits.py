"""Bounds on what the bench takes in. Time and memory are bounded from outside, by ending the process."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchLimits:
    """Compilation time grows faster than a program's size: 20 000 chained sines do not compile in 25 s."""

    ops: int = 20_000
    program_bytes: int = 16 << 20
    output_bytes: int = 128 << 20
    constant_bytes: int = 8 << 20
    """A closed-over table travels inside the program; a table of answers would look the same."""
