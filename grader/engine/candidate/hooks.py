"""Settings of the process by which code runs later, or otherwise than it says. No call has business there."""

from __future__ import annotations

import _thread
import atexit
import gc
import signal
import sys
import time
from collections.abc import Mapping

LINGER_S = 0.5
"""How long a call is given to be over that left a thread or an alarm behind."""
_STEP_S = 0.005

_sleep = time.sleep
"""As it is before submitted code may replace it."""


def tokens() -> Mapping[str, str]:
    """By a readable name, a text that changes with the setting."""
    threads, alarms = pending()
    return {
        "running threads": str(threads),
        "alarms": str(alarms),
        "signal handlers": str(hash(tuple(_handlers()))),
        "trace functions": repr((id(sys.gettrace()), id(sys.getprofile()))),
        "exit handlers": str(atexit._ncallbacks()),  # noqa: SLF001 - there is no other count
        "callbacks of the garbage collector": repr([id(callback) for callback in gc.callbacks]),
        "switch interval": repr(sys.getswitchinterval()),
        "hooks of sys": repr((id(sys.excepthook), id(sys.displayhook), id(sys.unraisablehook))),
        "import path": repr((sys.path, [id(finder) for finder in sys.meta_path])),
        "decimal context": _decimal_context(),
    }


def pending() -> tuple[int, int]:
    """How many threads run that Python code started, and how many clocks will send a signal."""
    clocks = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
    return _thread._count(), sum(signal.getitimer(clock)[0] > 0 for clock in clocks)  # noqa: SLF001 - no other


def let_finish(before: tuple[int, int]) -> None:
    """Wait, not for long, until no more threads run, and no more alarms are set, than there were `before`."""
    for _ in range(int(LINGER_S / _STEP_S)):
        if all(now <= then for now, then in zip(pending(), before, strict=True)):
            return
        _sleep(_STEP_S)


def _handlers() -> list[int]:
    return [id(signal.getsignal(number)) for number in signal.valid_signals()]


def _decimal_context() -> str:
    module = sys.modules.get("decimal")
    return "" if module is None else repr(module.getcontext())
