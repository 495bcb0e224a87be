"""CPU time by stage, for the cost that every answer carries."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class Stages:
    """CPU seconds this process spent in each named stage of one request, all threads together."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add what the body uses to `stage`, also when it raises."""
        begun = time.process_time()
        try:
            yield
        finally:
            self._seconds[stage] += time.process_time() - begun

    def seconds(self) -> Mapping[str, float]:
        return dict(self._seconds)
