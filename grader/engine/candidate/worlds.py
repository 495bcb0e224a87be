"""Perturbed worlds: the same submission run where clock, environment and hidden generators differ.

A pure function gives the same program in every world. Even worlds change nothing (each is another fresh
process); odd ones shift the clock, reseed the hidden generators and change the environment, all by amounts
that depend on the number alone.
"""

from __future__ import annotations

import datetime as dt
import os
import random
import time
from collections.abc import Callable
from typing import Any, Self

import numpy as np

_SHIFT_S = 7_391_113.0
_RATE = 1_000
"""How much faster clocks run: what happens within half a second of loading must not go unseen."""


def enter(world: int) -> None:
    """Perturb this process; call before student code is loaded."""
    if world % 2 == 0:
        return
    random.seed(world * 7919)
    np.random.seed(world * 104_729 % 2**32)  # noqa: NPY002 - the hidden generator itself is what is perturbed
    os.environ.update({"HOME": f"/world{world}", "USER": f"student{world}", "TZ": "Pacific/Auckland"})
    _shift_clocks(_SHIFT_S * world)


def _shift_clocks(shift_s: float) -> None:
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time"):
        setattr(time, name, _shifted(getattr(time, name), shift_s))
        setattr(time, f"{name}_ns", _shifted(getattr(time, f"{name}_ns"), int(shift_s * 1e9)))
    dt.datetime = _shifted_datetime(dt.timedelta(seconds=shift_s))  # type: ignore[misc]


def _shifted_datetime(shift: dt.timedelta) -> type[dt.datetime]:
    began = time.time() - shift.total_seconds()

    class ShiftedDatetime(dt.datetime):
        """`datetime.datetime` whose now lies elsewhere."""

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Self:
            now = super().now(tz)
            return now + shift + (now - super().fromtimestamp(began, tz)) * _RATE

    return ShiftedDatetime


def _shifted(clock: Callable[[], Any], shift: float) -> Callable[[], Any]:
    began = clock()
    return lambda: began + shift + (clock() - began) * _RATE
