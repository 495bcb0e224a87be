"""Throwaway users, leased: no two boxes on a machine have the same one at the same time.

A lease is a bound abstract socket, so the kernel ends it when its holder dies, however that happens.
"""

from __future__ import annotations

import errno
import os
import random
import socket
from dataclasses import dataclass
from pathlib import Path

from grader.domain.errors import EngineFault

FIRST, LAST = 60_000, 60_999


@dataclass(frozen=True, slots=True)
class Lease:
    """A user number that is ours until `release`."""

    uid: int
    holder: socket.socket

    def release(self) -> None:
        self.holder.close()


def lease() -> Lease:
    """Any free user of the range; EngineFault if all are taken."""
    count = LAST - FIRST + 1
    start = random.SystemRandom().randrange(count)
    for step in range(count):
        uid = FIRST + (start + step) % count
        holder = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            holder.bind(f"\0jax-grader-box-{uid}")
        except OSError as exc:
            holder.close()
            if exc.errno != errno.EADDRINUSE:
                raise
            continue
        return Lease(uid, holder)
    raise EngineFault(f"all users from {FIRST} to {LAST} are taken by boxes")


def processes_of(uid: int) -> list[int]:
    """Numbers of the processes that run as `uid`; those that are dead already do not count."""
    return [int(entry.name) for entry in os.scandir("/proc") if entry.name.isdigit() and _runs_as(entry, uid)]


def _runs_as(entry: os.DirEntry[str], uid: int) -> bool:
    try:
        if entry.stat().st_uid != uid:
            return False
        state = Path(entry.path, "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in ("Z", "X")
