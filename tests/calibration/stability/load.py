"""Other work on the machine."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

BUSY_LOOPS = 2


@contextmanager
def busy(loops: int = BUSY_LOOPS) -> Iterator[None]:
    """That many processes that compute without end, for as long as the block lasts."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()
