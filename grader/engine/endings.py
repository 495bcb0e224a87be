"""How a question to a box can go wrong, and what the end of a box means for whoever asked.

Facts decide, in this order: the watcher, the control group or the process itself said that memory was over, a
clock said that time was; anything else is a crash, whose blame depends on what ran in the box. Time that was
over because the machine was too busy is nobody's fault. A kill that none of them explains came from outside,
and says nothing about the code: the question is asked again.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Final

from grader.domain.errors import EngineFault
from grader.domain.verdicts import Verdict
from grader.engine.policy import Box, End, EndKind
from grader.engine.testimony import Fault, Frame

_LINGER_S = 2.0
"""How long a box whose channel is closed may take to be gone; a process with gigabytes needs a second."""

LATE = 0.9
"""Share of its limit from which on a candidate writes down where it hangs."""

_SIGKILL: Final = 9


class SubmissionRaised(Exception):
    """Student code raised."""

    def __init__(self, function: str | None, fault: Fault) -> None:
        super().__init__(f"{fault.type}: {fault.text}")
        self.function, self.fault = function, fault


class SubmissionEnded(Exception):
    """A process that ran the submission, or a program made from it, ended before it answered."""

    def __init__(
        self,
        function: str | None,
        verdict: Verdict,
        limit: float | None = None,
        *,
        frame: Frame | None = None,
    ) -> None:
        super().__init__(f"{function}: {verdict}")
        self.function, self.verdict, self.limit = function, verdict, limit
        self.frame = frame
        """The submitted line that was running, where it is known."""


class LoadFailed(Exception):
    """The submission could not be loaded at all: a fault raised at import, or the way its process ended."""

    def __init__(
        self,
        fault: Fault | None,
        verdict: Verdict,
        *,
        limit: float | None = None,
        frame: Frame | None = None,
    ) -> None:
        super().__init__("the submission could not be loaded")
        self.fault, self.verdict, self.limit, self.frame = fault, verdict, limit, frame


class KilledFromOutside(Exception):
    """A box was killed while it was asked something, and neither a limit nor a clock explains it."""


def end_of(box: Box) -> End | None:
    """How a box ended whose channel is closed; None if it went on without its channel."""
    until = time.monotonic() + _LINGER_S
    while (end := box.end) is None and time.monotonic() < until:
        time.sleep(0.002)
    return end


def verdict_of(end: End | None) -> Verdict:
    """What an end means, None being a box that went on but spoke no sense.

    KilledFromOutside if it means nothing, EngineFault if it tells of the machine alone.
    """
    if end is None:
        return Verdict.CRASHED
    if end.kind is EndKind.STARVED:
        raise EngineFault(
            "the machine was too busy to judge this: the submission's process stood in line for a processor "
            "for nearly all of its time. Give workers fewer neighbours, or raise check_s in assignment.toml."
        )
    if (end.kind, end.code) == (EndKind.SIGNALLED, _SIGKILL):
        raise KilledFromOutside
    return _VERDICTS.get(end.kind, Verdict.CRASHED)


def or_hang(end: End | None, *, lasted_s: float, limit_s: float) -> End | None:
    """`end`, or that of a hang where a signal ended a candidate that was `LATE`.

    Python walks over the frames of running threads to write down their lines, and one time in some hundred it
    crashes over that (386, 47 and 221 dumps until it did, CPython 3.11). Code that needed nearly all its time
    has hung then, whatever ended it. A kill from outside stays one.
    """
    crashed = end is not None and end.kind is EndKind.SIGNALLED and end.code != _SIGKILL
    return End(kind=EndKind.DEADLINE) if crashed and lasted_s >= LATE * limit_s else end


def told(end: End | None) -> str:
    """An end in the words of a log."""
    return "it spoke no sense" if end is None else f"{end.kind.value} {end.code}"


_VERDICTS: Mapping[EndKind, Verdict] = {
    EndKind.DEADLINE: Verdict.TIMED_OUT,
    EndKind.CPU_LIMIT: Verdict.TIMED_OUT,
    EndKind.OUT_OF_MEMORY: Verdict.OUT_OF_MEMORY,
}
