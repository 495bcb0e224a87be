"""One thread that watches the boxes of a launcher from outside: wall-clock deadlines and resident memory."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from grader.engine.policy import EndKind

POLL_S = 0.05
"""How often memory is looked at while any box is open."""


class Watched(Protocol):
    """A box as the watchdog sees it."""

    @property
    def expires(self) -> float | None:
        """When it must be over, on `time.monotonic`'s clock."""

    @property
    def patience(self) -> float:
        """By how many seconds its deadline is put off at most, however long it waits."""

    def waited(self) -> float:
        """Seconds since its deadline was set in which other work on the machine kept it from running."""

    def overweight(self) -> bool:
        """Whether it uses more memory than it may."""

    def kill(self, reason: EndKind) -> None:
        """Kill it at once, remembering the first reason."""


class Watchdog:
    """Looks after any number of boxes; its thread runs only while there are some."""

    def __init__(self) -> None:
        self._boxes: set[Watched] = set()
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(self, box: Watched) -> None:
        """Watch `box` from now on."""
        with self._changed:
            self._boxes.add(box)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="watchdog", daemon=True)
                self._thread.start()

    def discard(self, box: Watched) -> None:
        """Look at `box` no more; after this it is not killed from here."""
        with self._changed:
            self._boxes.discard(box)
            self._changed.notify()

    def wake(self) -> None:
        """Take notice of a deadline that was moved."""
        with self._changed:
            self._changed.notify()

    def _run(self) -> None:
        with self._changed:
            while self._boxes:
                now = time.monotonic()
                for box in self._boxes:
                    try:
                        _judge(box, now)
                    except Exception:  # noqa: BLE001 - boundary of the thread: what cannot be watched must end
                        box.kill(EndKind.OUT_OF_MEMORY)
                self._changed.wait(self._until_next(now))
            self._thread = None

    def _until_next(self, now: float) -> float:
        moments = [box.expires for box in self._boxes]
        return min([POLL_S, *(moment - now for moment in moments if moment is not None and moment > now)])


def _judge(box: Watched, now: float) -> None:
    expires = box.expires
    if expires is not None and now >= expires:
        waited, patience = box.waited(), box.patience
        if now >= expires + min(waited, patience):
            box.kill(EndKind.DEADLINE if waited <= patience else EndKind.STARVED)
            return
    if box.overweight():
        box.kill(EndKind.OUT_OF_MEMORY)
