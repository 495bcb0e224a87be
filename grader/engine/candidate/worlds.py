"""Perturbed worlds: the same submission run where clock, environment and hidden generators differ.

A pure function gives the same program in every world. Even worlds change nothing (each is another fresh
process); odd ones shift the clock, reseed the hidden generators and change the environment, all by amounts
that depend on the number alone.
"""

from __future__ import annotations

import datetime as dt
import os
import random
import sys
import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np

from grader.engine.candidate import outside

_SHIFT_S = 7_391_113.0
_RATES = {1: 1_000.0, 3: 0.001}
"""How fast clocks run, by the world's number modulo 4: soon all time has passed, or next to none."""


def enter(world: int) -> None:
    """Perturb this process; call before student code is loaded."""
    if world % 2 == 0:
        return
    random.seed(world * 7919)
    np.random.seed(world * 104_729 % 2**32)  # noqa: NPY002 - the hidden generator itself is what is perturbed
    os.environ.update({"HOME": f"/world{world}", "USER": f"student{world}", "TZ": "Pacific/Auckland"})
    _bend_clocks(_SHIFT_S * world, _RATES[world % 4])


def _bend_clocks(shift_s: float, rate: float) -> None:
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        setattr(time, name, _bent(name, shift_s, rate))
        setattr(time, f"{name}_ns", _bent(f"{name}_ns", shift_s * 1e9, rate))
    dt.datetime = _bent_datetime()  # type: ignore[misc]


def _bent_datetime() -> type[dt.datetime]:
    class BentDatetime(dt.datetime):
        """`datetime.datetime` whose now follows the bent `time.time`."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Self:
            return cls.fromtimestamp(time.time(), tz)

    return BentDatetime


def _bent(name: str, shift: float, rate: float) -> Callable[[], Any]:
    clock = getattr(time, name)
    began = clock()
    number = type(began)

    def bent() -> Any:  # noqa: ANN401 - a number of the clock's own type
        outside.tell(outside.Read.CLOCK, f"time.{name}", sys._getframe(1))  # noqa: SLF001 - who asks
        return number(began + shift + (clock() - began) * rate)

    return bent
