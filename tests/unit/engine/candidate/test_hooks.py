"""Settings by which code runs later are told, and a call that left some behind is waited for."""

from __future__ import annotations

import atexit
import decimal
import gc
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

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


ACTS = {
    "running threads": _thread,
    "alarms": _alarm,
    "signal handlers": _handler,
    "exit handlers": _exit_handler,
    "callbacks of the garbage collector": _collector,
    "hooks of sys": _hook,
    "import path": _path,
    "decimal context": _precision,
}


def changed_by(told: str) -> list[str]:
    """What differs while an act is in force."""
    before = hooks.tokens()
    with ACTS[told]():
        now = hooks.tokens()
    return [name for name in now if now[name] != before[name]]


def waits_for_a_short_thread() -> bool:
    """Whether a thread that soon ends has ended when it was waited for."""
    before, done = hooks.pending(), list[int]()
    threading.Timer(0.05, done.append, [1]).start()
    hooks.let_finish(before)
    return done == [1]


def waits_for_an_endless_thread() -> bool:
    """Whether a thread that does not end was given its time, and that was all."""
    before, began = hooks.pending(), time.monotonic()
    with _thread():
        hooks.let_finish(before)
    return time.monotonic() - began > hooks.LINGER_S * 0.9


def alone(question: str) -> str:
    """The answer of a fresh interpreter, in which no thread of another test begins or ends."""
    code = f"from tests.unit.engine.candidate import test_hooks\nprint(test_hooks.{question})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.parametrize("told", ACTS)
def test_what_runs_later_is_told(told: str) -> None:
    assert alone(f"changed_by({told!r})") == repr([told])


def test_a_thread_that_ends_soon_is_waited_for() -> None:
    assert alone("waits_for_a_short_thread()") == "True"


def test_a_thread_that_does_not_end_is_not_waited_for_long() -> None:
    assert alone("waits_for_an_endless_thread()") == "True"
