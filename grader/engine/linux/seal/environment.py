"""Layer: nothing of the grader's environment, arguments or working folder is left; cores are chosen."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

_FIXED = {
    "USER": "student",
    "LANG": "C.UTF-8",
    "TZ": "UTC",
    "PATH": "",
    "JAX_PLATFORMS": "cpu",
    "TF_CPP_MIN_LOG_LEVEL": "3",  # XLA's remarks would count as output of the submission
}
_FOLDERS = ("HOME", "TMPDIR")
VARIABLES = frozenset({*_FIXED, *_FOLDERS})
"""The names of all environment variables of a box."""


def replace(scratch: Path, *, also: Mapping[str, str] = MappingProxyType({})) -> None:
    """Give the process a plain environment whose home, temporary and working folder is `scratch`."""
    os.chdir(scratch)
    os.environ.clear()
    os.environ.update({**_FIXED, **dict.fromkeys(_FOLDERS, str(scratch)), **also})
    time.tzset()
    sys.argv = ["submission"]
    sys.orig_argv[:] = sys.argv


_FIRST_CORE = int.from_bytes(os.urandom(2), "little")
"""Drawn by each grader on a machine for itself, so that they do not all choose the same core."""


def choose_cores(count: int, *, turn: int) -> None:
    """Run on `count` of the cores this process has, taken in `turn`; 0 keeps them all."""
    cores = sorted(os.sched_getaffinity(0))
    if 0 < count < len(cores):
        first = _FIRST_CORE + turn * count
        os.sched_setaffinity(0, {cores[(first + step) % len(cores)] for step in range(count)})
