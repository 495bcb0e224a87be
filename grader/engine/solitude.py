"""Races of one machine, which several workers may run: a second measurement runs while no other race does.

They hold a lock on a file of the package (flock(2)): whoever runs the first race of a check shares it,
whoever measures again has it alone. It needs no leave to write, leaves nothing behind, and falls with its
holder, however that ends. A sealed process can never hold it: the filter on system calls lets no flock pass.
Workers in containers of their own have files of their own, and do not wait for each other.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

if sys.platform != "win32":  # where nothing but one's own work is graded
    import fcntl

WAIT_S = 5.0
"""Longer than a race takes; then it runs in company after all."""
_PAUSE_S = 0.02
_GROUND = Path(__file__)


@contextmanager
def racing(*, alone: bool, within_s: float = WAIT_S, ground: Path = _GROUND) -> Iterator[bool]:
    """Inside, one race may run. Whether its turn came within `within_s` seconds; it may run in any case."""
    if sys.platform == "win32":
        yield False
        return
    with ground.open("rb") as file:
        yield _locked(file.fileno(), fcntl.LOCK_EX if alone else fcntl.LOCK_SH, within_s=within_s)


def _locked(descriptor: int, kind: int, *, within_s: float) -> bool:
    until = time.monotonic() + within_s
    while True:
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(_PAUSE_S)
        except OSError:  # a file system without locks, where nobody waits for anybody
            return False
        else:
            return True
