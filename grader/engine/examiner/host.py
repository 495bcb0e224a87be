"""What outlives an attempt in the examiner: the launcher and the warm bench."""

from __future__ import annotations

from grader.engine.launcher import open_launcher
from grader.engine.policy import Box, BoxPolicy, Launcher, Role

BENCH_MEMORY_MIB = 4096
BENCH_CORES = 1
"""On one core the CPU time of a program is that of its work. On several, threads that wait for each other
burn time as well: the median ratio of a race then strayed by 30 %, on one core by 3 %."""


class Host:
    """Owns the launcher and one bench, replaced when it died."""

    def __init__(self, *, sealed: bool | None) -> None:
        self.launcher: Launcher = open_launcher(sealed=sealed)
        self._bench: Box | None = None

    def bench(self) -> Box:
        """The warm bench, started anew if it is gone."""
        if self._bench is None or self._bench.end is not None:
            policy = BoxPolicy(role=Role.BENCH, memory_mib=BENCH_MEMORY_MIB, threads=BENCH_CORES)
            self._bench = self.launcher.start(policy)
        return self._bench

    def drop_bench(self) -> None:
        """End the bench in hand; the next request finds a fresh one."""
        if self._bench is not None:
            self._bench.close()
            self._bench = None

    def close(self) -> None:
        """End everything below this process; never raises."""
        self._bench = None
        self.launcher.close()
