"""The watchdog: it kills what is late or heavy, and nothing else."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

from grader.engine.policy import EndKind
from grader.engine.watchdog import POLL_S, Watchdog


@dataclass(eq=False)
class Dummy:
    expires: float | None = None
    heavy: bool = False
    broken: bool = False
    in_line: float = 0.0
    patience: float = 60.0
    reasons: list[EndKind] = field(default_factory=list)
    killed: threading.Event = field(default_factory=threading.Event)

    def waited(self) -> float:
        return self.in_line

    def overweight(self) -> bool:
        if self.broken:
            raise RuntimeError("cannot look")
        return self.heavy

    def kill(self, reason: EndKind) -> None:
        self.reasons.append(reason)
        self.killed.set()


def test_a_late_box_is_killed_on_time():
    watchdog, box = Watchdog(), Dummy(expires=time.monotonic() + 0.02)
    watchdog.add(box)
    assert box.killed.wait(1)
    assert set(box.reasons) == {EndKind.DEADLINE}
    watchdog.discard(box)


def test_a_deadline_that_is_set_later_is_noticed():
    watchdog, box = Watchdog(), Dummy()
    watchdog.add(box)
    assert not box.killed.wait(2 * POLL_S)
    box.expires = time.monotonic()
    watchdog.wake()
    assert box.killed.wait(1)
    watchdog.discard(box)


def test_a_heavy_box_is_killed():
    watchdog, box = Watchdog(), Dummy(heavy=True)
    watchdog.add(box)
    assert box.killed.wait(1)
    assert set(box.reasons) == {EndKind.OUT_OF_MEMORY}
    watchdog.discard(box)


def test_a_box_that_cannot_be_watched_is_killed_and_the_others_go_on_being_watched():
    watchdog, blind, late = Watchdog(), Dummy(broken=True), Dummy(expires=time.monotonic() + 0.1)
    watchdog.add(blind)
    watchdog.add(late)
    assert blind.killed.wait(1)
    assert late.killed.wait(1)
    watchdog.discard(blind)
    watchdog.discard(late)


def test_a_box_that_is_discarded_is_left_alone():
    watchdog, box = Watchdog(), Dummy()
    watchdog.add(box)
    watchdog.discard(box)
    box.heavy = True
    assert not box.killed.wait(3 * POLL_S)


def test_the_thread_ends_with_the_last_box_and_starts_again_with_the_next():
    watchdog, box = Watchdog(), Dummy()
    watchdog.add(box)
    thread = watchdog._thread
    assert thread is not None
    watchdog.discard(box)
    thread.join(1)
    assert not thread.is_alive()
    again = Dummy(heavy=True)
    watchdog.add(again)
    assert again.killed.wait(1)
    watchdog.discard(again)


def test_time_in_line_for_a_processor_is_given_back() -> None:
    watchdog, box = Watchdog(), Dummy(expires=time.monotonic(), in_line=60.0)
    watchdog.add(box)
    try:
        assert not box.killed.wait(4 * POLL_S)
        box.in_line = 0.0
        assert box.killed.wait(5)
        assert box.reasons[0] is EndKind.DEADLINE
    finally:
        watchdog.discard(box)


def test_a_box_that_waits_without_end_is_ended_for_no_fault_of_its_own() -> None:
    watchdog, box = Watchdog(), Dummy(expires=time.monotonic(), in_line=60.0, patience=0.1)
    watchdog.add(box)
    try:
        assert box.killed.wait(5)
        assert set(box.reasons) == {EndKind.STARVED}
    finally:
        watchdog.discard(box)
