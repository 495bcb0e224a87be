"""Settings by which code runs later are told, and a call that left some behind is waited for."""

from __future__ import annotations

import atexit
import decimal
import gc
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest

from grader.engine.candidate import hooks


@contextmanager
def _thread() -> Iterator[None]:
    done = threading.Event()
    threading.Thread(target=done.wait).start()
    yield
    done.set()


@contextmanager
def _alarm() -> Iterator[None]:
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


@contextmanager
def _handler() -> Iterator[None]:
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    yield
    signal.signal(signal.SIGUSR1, before)


@contextmanager
def _exit_handler() -> Iterator[None]:
    def nothing() -> None:
        return

    atexit.register(nothing)
    yield
    atexit.unregister(nothing)


@contextmanager
def _collector() -> Iterator[None]:
    gc.callbacks.append(print)
    yield
    gc.callbacks.remove(print)


@contextmanager
def _hook() -> Iterator[None]:
    before, sys.excepthook = sys.excepthook, lambda *_: None
    yield
    sys.excepthook = before


@contextmanager
def _path() -> Iterator[None]:
    sys.path.append("/elsewhere")
    yield
    sys.path.remove("/elsewhere")


@contextmanager
def _precision() -> Iterator[None]:
    with decimal.localcontext() as context:
        context.prec += 1
        yield


@pytest.mark.parametrize(
    "act, told",
    [
        (_thread, "running threads"),
        (_alarm, "alarms"),
        (_handler, "signal handlers"),
        (_exit_handler, "exit handlers"),
        (_collector, "callbacks of the garbage collector"),
        (_hook, "hooks of sys"),
        (_path, "import path"),
        (_precision, "decimal context"),
    ],
)
def test_what_runs_later_is_told(act: Callable[[], AbstractContextManager[None]], told: str) -> None:
    before = hooks.tokens()
    with act():
        now = hooks.tokens()
    assert {name for name in now if now[name] != before[name]} == {told}


def test_a_thread_that_ends_soon_is_waited_for() -> None:
    before, done = hooks.pending(), list[int]()
    threading.Timer(0.05, done.append, [1]).start()
    hooks.let_finish(before)
    assert done == [1]


def test_a_thread_that_does_not_end_is_not_waited_for_long() -> None:
    before, began = hooks.pending(), time.monotonic()
    with _thread():
        hooks.let_finish(before)
    assert hooks.LINGER_S * 0.9 < time.monotonic() - began < hooks.LINGER_S * 20
