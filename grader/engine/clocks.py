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

SUSPECT_LIMIT_S = 2.0
"""Wall limit per request for a function that has already run into its limit once in this attempt."""


class Clock:
    """The time of one attempt.

    A request may take what is left to its check, loading has a limit of its own that does not count against
    the check, and all of it ends with the attempt. A check that the end of the attempt cut short, or that did
    not begin before it, was not judged: that is an `EngineFault`, never the submission's.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._suspects: set[str] = set()
        self._attempt_ends = time.monotonic() + limits.attempt_s
        self._check_ends = time.monotonic() + limits.check_s
        self._request_s = math.inf

    def begin_check(self) -> None:
        """Start the time of the next check."""
        self._check_ends = time.monotonic() + self.limits.check_s

    @contextmanager
    def at_most(self, seconds: float) -> Iterator[None]:
        """No request made inside may take longer, however much time is left to the check."""
        self._request_s = seconds
        try:
            yield
        finally:
            self._request_s = math.inf

    @contextmanager
    def loading(self) -> Iterator[float]:
        """The seconds that a load may take; what it does take is given back to the check."""
        began = time.monotonic()
        try:
            yield min(self.limits.load_s, self.attempt_left())
        finally:
            self._check_ends += time.monotonic() - began

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Time spent inside counts neither against the check nor against the attempt."""
        began = time.monotonic()
        try:
            yield
        finally:
            waited = time.monotonic() - began
            self._check_ends += waited
            self._attempt_ends += waited

    def limit(self, function: str | None) -> float:
        """Seconds the next request may take. SubmissionEnded if this check has none left."""
        left = min(self._check_ends - time.monotonic(), self.attempt_left())
        if left <= 0:
            raise SubmissionEnded(function, Verdict.TIMED_OUT, self.limits.check_s)
        left = min(left, self._request_s)
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
