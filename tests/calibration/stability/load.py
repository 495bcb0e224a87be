"""Other work on the machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUSY_LOOPS = 2
_LOOP = """
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""
"""Computes for as long as whoever started it is there, however that ends."""


@contextmanager
def busy(loops: int = BUSY_LOOPS) -> Iterator[None]:
    """That many processes that compute without pause, for as long as the block lasts."""
    running = [subprocess.Popen([sys.executable, "-c", _LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
