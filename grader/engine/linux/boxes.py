"""A box forked by the zygote, as the launcher holds it."""

from __future__ import annotations

import os
import re
import select
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.engine import box
from grader.engine.linux.belongings import Belongings
from grader.engine.linux.waiting import Delays, delays, waited_s
from grader.engine.linux.zygotes import Pending
from grader.engine.policy import BoxPolicy, End, EndKind
from grader.engine.protocol import Channel
from grader.engine.watchdog import Watchdog

_END_S = 20.0
"""A process that has touched gigabytes takes a second to tear down; none takes this long."""
_LAST_STEPS_S = 0.25
"""From closing its descriptors to its death a process takes a few milliseconds."""
_PATIENCE = 4.0
"""A deadline is put off by at most so many times its length; beyond that, the machine would be judged."""
_MIB = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE")
_NEAR = 0.8
"""A box that is killed after it has used this share of what it may has run into that limit."""


class LinuxBox:
    """Handled by pidfd, so that it can never be mistaken for a later process with its number."""

    def __init__(
        self,
        policy: BoxPolicy,
        line: int,
        *,
        pending: Pending,
        belongings: Belongings,
        watchdog: Watchdog,
        on_close: Callable[[LinuxBox], None],
    ) -> None:
        assert pending.pidfd is not None  # noqa: S101 - a started box has one
        self.policy = policy
        self.channel: Channel = box.channel_over(line, line)
        self.expires: float | None = None
        self._term: tuple[float, Delays] = (0.0, {})
        """Length of the deadline in force, and what it had waited when that began."""
        self._pidfd, self._line, self._pending = pending.pidfd, line, pending
        self._belongings, self._watchdog, self._on_close = belongings, watchdog, on_close
        self._ending = threading.Lock()
        self._reason: EndKind | None = None
        self._end: End | None = None
        self._closed = False
        self.pid = _number_of(self._pidfd)
        self._statm = _opened(f"/proc/{self.pid}/statm")
        watchdog.add(self)

    @property
    def end(self) -> End | None:
        """How it ended; None while it runs."""
        with self._ending:
            if self._end is None and (self._reason is not None or self._dead(0)):
                self._end = self._settled()
            return self._end

    @contextmanager
    def deadline(self, seconds: float) -> Iterator[None]:
        """Have it killed if the block lasts longer. Deadlines nest; the earliest counts."""
        outer, own = (self.expires, self._term), time.monotonic() + seconds
        if outer[0] is None or own < outer[0]:
            self.expires, self._term = own, (seconds, delays(self.pid))
        self._watchdog.wake()
        try:
            yield
        finally:
            self.expires, self._term = outer

    @property
    def patience(self) -> float:
        """By how many seconds its deadline is put off at most."""
        return _PATIENCE * self._term[0]

    def waited(self) -> float:
        """Seconds of the deadline's time that it stood in line for a processor; 0 once it is dead."""
        return waited_s(self._term[1], delays(self.pid))

    def output(self, limit: int = 65536) -> bytes:
        """The end of what it wrote, output first, then errors."""
        return self._belongings.output(limit)

    def overweight(self) -> bool:
        """Whether it holds more memory, or more scratch, than it may."""
        try:
            resident = int(os.pread(self._statm, 128, 0).split()[1])
        except (OSError, IndexError):
            return False  # it is gone already
        if resident * _PAGE > self.policy.memory_mib * _MIB:
            return True
        return self._belongings.scratch_bytes() > self.policy.scratch_mib * _MIB

    def in_its_group(self) -> bool:
        """Whether it runs in the control group that was made for it; True if there is none."""
        group = self._belongings.group
        return group is None or group.holds(self.pid)

    def kill(self, reason: EndKind) -> None:
        """Kill it at once; the first reason given is the one that is told."""
        if self._reason is None:
            self._reason = reason
            self._signal()

    def close(self) -> End:
        """Kill it, wait until it is gone, give back what it held. Never raises."""
        with self._ending:
            end = self._end = self._end or self._settled()
            if not self._closed:
                self._closed = True
                self._release()
            return end

    def _release(self) -> None:
        self._watchdog.discard(self)
        self.channel.close()
        self._belongings.release()
        for descriptor in (self._pidfd, self._statm):
            with suppress(OSError):
                os.close(descriptor)
        self._on_close(self)

    def _signal(self) -> None:
        with suppress(OSError):
            signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def _dead(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self._pidfd, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def _hung_up(self) -> bool:
        """Whether its end of the channel is closed: it is about to end, unless it closed only that."""
        poll = select.poll()
        poll.register(self._line, select.POLLRDHUP)
        return bool(poll.poll(0))

    def _settled(self) -> End:
        """Make sure that it is dead, then say how it ended."""
        by_itself = self._reason is None and self._dead(_LAST_STEPS_S if self._hung_up() else 0)
        if not by_itself:
            self._signal()
        self._dead(_END_S)
        self._pending.ended.wait(_END_S)
        report = self._pending.report
        if report is None:  # the zygote went first and took the box with it
            return End(kind=self._reason or EndKind.SIGNALLED, code=0 if self._reason else signal.SIGKILL)
        code, cpu_s, peak_mib = report["code"], report["cpu_s"], report["peak_kib"] / 1024
        kind = self._kind(code, cpu_s, peak_mib, by_itself=by_itself)
        told = abs(code) if kind in (EndKind.EXITED, EndKind.SIGNALLED) else 0
        return End(kind=kind, code=told, peak_rss_mib=peak_mib, cpu_s=cpu_s)

    def _kind(self, code: int, cpu_s: float, peak_mib: float, *, by_itself: bool) -> EndKind:
        if code == -signal.SIGKILL and self._reason is not None:
            return self._reason
        killed = code < 0 and by_itself
        limit = self.policy.cpu_s
        if code == -signal.SIGXCPU or (killed and limit is not None and cpu_s > _NEAR * limit):
            return EndKind.CPU_LIMIT
        if killed and self._belongings.ran_out_of_memory():
            return EndKind.OUT_OF_MEMORY
        if code == box.EXIT_NO_MEMORY or (killed and peak_mib > _NEAR * self.policy.memory_mib):
            return EndKind.OUT_OF_MEMORY
        return EndKind.SIGNALLED if code < 0 else EndKind.EXITED


def _number_of(pidfd: int) -> int:
    """Our number for the process behind a pidfd; -1 if it is gone."""
    text = Path(f"/proc/self/fdinfo/{pidfd}").read_text()
    found = re.search(r"^Pid:\s*(-?\d+)$", text, re.MULTILINE)
    return int(found[1]) if found else -1


def _opened(path: str) -> int:
    """A descriptor to read from; -1 if there is nothing any more."""
    try:
        return os.open(path, os.O_RDONLY)
    except OSError:
        return -1
