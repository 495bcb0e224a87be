"""What became of fuzzed cases, counted."""

from __future__ import annotations

import random
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

import psutil

from tests.hostile.fuzz_mutations import dice

TOO_LONG_S = 10.0
"""No upload and no answer may keep its reader busy for so long, even on a machine that is busy itself."""


class Became(StrEnum):
    """What became of one case; all but the last are fine."""

    REFUSED = "refused"
    ACCEPTED = "accepted"
    FAULT = "faults"
    """The bench said that it, or whoever asked it, was at fault: not graded, and shown to staff."""
    DEATH = "deaths"
    """The process that met the case ended, and was replaced."""
    DEADLINE = "deadline"
    """The process that met the case was ended in time, and was replaced."""
    FORBIDDEN = "forbidden"


@dataclass(slots=True, kw_only=True)
class Tally:
    """The outcomes of one kind of cases."""

    kind: str
    counts: Counter[Became] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)
    """One text for each forbidden outcome and each leak."""
    worst_s: float = 0.0

    @property
    def cases(self) -> int:
        return self.counts.total()


def count(
    kind: str,
    attempt: Callable[[random.Random], Became],
    cases: Iterable[int],
    *,
    seed: str,
    limit_s: float = TOO_LONG_S,
) -> Iterator[Tally]:
    """Try every case, telling the tally after each. A case's number and the seed decide it alone."""
    tally = Tally(kind=kind)
    for case in cases:
        began = time.monotonic()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                became = attempt(dice(f"{seed}:{kind}:{case}"))
        except Exception as exc:  # noqa: BLE001 - boundary: that nothing else is raised is what is tested
            became = Became.FORBIDDEN
            tally.problems.append(f"{kind} {case}: {_brief(exc)}")
        seconds = time.monotonic() - began
        if seconds > limit_s:
            tally.problems.append(f"{kind} {case}: took {seconds:.1f} s")
        tally.counts[became] += 1
        tally.worst_s = max(tally.worst_s, seconds)
        yield tally


def _brief(exc: Exception) -> str:
    frames = [frame for frame in traceback.extract_tb(exc.__traceback__) if "fuzz" not in frame.filename]
    where = f" at {frames[-1].filename}:{frames[-1].lineno}" if frames else ""
    return f"{type(exc).__name__}: {str(exc)[:200]}{where}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What this process holds: descriptors, resident bytes, and processes below it."""

    descriptors: int
    resident: int
    processes: int

    @classmethod
    def now(cls) -> Holdings:
        me = psutil.Process()
        return cls(
            descriptors=me.num_fds(),
            resident=me.memory_info().rss,
            processes=len(me.children(recursive=True)),
        )


_MIB = 1 << 20
_GROWTH = 96 * _MIB
"""Resident bytes that an allocator may keep. A leak of a page a case would show as less than half of it."""


def growth(before: Holdings, after: Holdings, *, resident: int = _GROWTH) -> list[str]:
    """What grew that must not, one sentence each."""
    grown = (
        ("descriptors", after.descriptors - before.descriptors, 2),
        ("processes", after.processes - before.processes, 0),
        ("MiB resident", (after.resident - before.resident) // _MIB, resident // _MIB),
    )
    return [f"{more} {what} more than before" for what, more, allowed in grown if more > allowed]
