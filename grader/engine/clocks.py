"""How long the next question may take: what is left to its check, to the attempt, and to a suspect."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager

from grader.domain.errors import EngineFault
from grader.domain.rubric import Limits
from grader.domain.verdicts import Verdict
from grader.engine.endings import SubmissionEnded
from grader.engine.policy import Box

SUSPECT_LIMIT_S = 2.0
"""Wall limit per request for a function that has already run into its limit once in this attempt."""


class Clock:
    """The time of one attempt.

    A check's time is what the requests of its function take, without what their process stood in line for a
    processor: neither the machine nor the course's own work uses it up. A request may take what is left of
    it, loading has a limit of its own, and all of it ends with the attempt. A check that the end of the
    attempt cut short, or that did not begin before it, was not judged: that is an `EngineFault`, never the
    submission's.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._suspects: set[str] = set()
        self._attempt_ends = time.monotonic() + limits.attempt_s
        self._spent_s = 0.0
        self._request_s = math.inf

    def begin_check(self) -> None:
        """Start the time of the next check."""
        self._spent_s = 0.0

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """No request made inside may take longer, however much time is left to the check."""
        self._request_s = seconds
        try:
            yield
        finally:
            self._request_s = math.inf

    @contextmanager
    def asking(self, box: Box, function: str | None, *, limit: float) -> Iterator[None]:
        """While `box` is asked something; it is killed after `limit` seconds, those in line not counted."""
        began = time.monotonic()
        with box.deadline(limit):
            try:
                yield
            finally:
                if function is not None:
                    self._spent_s += max(time.monotonic() - began - box.waited(), 0.0)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time spent inside does not count against the attempt."""
        began = time.monotonic()
        try:
            yield
        finally:
            self._attempt_ends += time.monotonic() - began

    def load_limit(self) -> float:
        """Seconds that a load may take."""
        return min(self.limits.load_s, self.attempt_left())

    def limit(self, function: str | None) -> float:
        """Seconds the next request may take. SubmissionEnded if this check has none left."""
        left = self.limits.check_s - (self._spent_s if function is not None else 0.0)
        if left <= 0:
            raise SubmissionEnded(function, Verdict.TIMED_OUT, self.limits.check_s)
        left = min(left, self.attempt_left(), self._request_s)
        return min(left, SUSPECT_LIMIT_S) if function in self._suspects else left

    def attempt_left(self) -> float:
        """Seconds left to the attempt; EngineFault if there are none."""
        left = self._attempt_ends - time.monotonic()
        if left <= 0:
            raise EngineFault(
                f"the {self.limits.attempt_s:g} seconds of the whole attempt were over before this check "
                "was; raise attempt_s in assignment.toml if right submissions need longer."
            )
        return left

    def expired(self, function: str | None, limit: float) -> float:
        """Take note that a request of `function` ran into `limit`; answers the limit its author reads.

        That is the whole check's, however much of it other calls had used up. EngineFault if it was the end
        of the attempt that cut it short.
        """
        self.attempt_left()
        if function is None:
            return self.limits.load_s
        self._suspects.add(function)
        return limit if limit == SUSPECT_LIMIT_S else self.limits.check_s
