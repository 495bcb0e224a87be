"""How long a process waited for a processor: time that other work on the machine took, not the process.

A deadline is meant for what a submission does. On a busy machine a right one may stand in line for most of
its time; what the scheduler says it waited is therefore given back, up to a bound.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress

Delays = Mapping[int, int]
"""For each thread, the nanoseconds it has waited since it began."""


def delays(pid: int) -> Delays:
    """What every thread of `pid` has waited so far; empty where the kernel does not say."""
    found: dict[int, int] = {}
    with suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - asked at every request; names are enough
            with suppress(OSError, ValueError, IndexError):
                found[int(name)] = _delay(f"/proc/{pid}/task/{name}/schedstat")
    return found


def waited_s(before: Delays, now: Delays) -> float:
    """Seconds that the thread which waited longest spent in line between two readings.

    >>> waited_s({1: 1_000_000_000}, {1: 3_000_000_000, 2: 500_000_000})
    2.0
    """
    return max((delay - before.get(thread, 0) for thread, delay in now.items()), default=0) / 1e9


def _delay(file: str) -> int:
    descriptor = os.open(file, os.O_RDONLY)
    try:
        return int(os.read(descriptor, 128).split()[1])
    finally:
        os.close(descriptor)
