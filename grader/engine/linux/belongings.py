"""What the launcher holds for one box and must give back: user, output, perhaps a folder and a group."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path

from grader.engine.linux import folders, uids
from grader.engine.linux.seal.groups import Group

_SWEEP_S = 5.0


@dataclass(slots=True)
class Belongings:
    """Made before a box starts, released after it is dead."""

    lease: uids.Lease | None
    outputs: tuple[int, int]
    folder: Path | None
    group: Group | None = None
    """Put here by whoever makes it; ours from then on."""
    _kept: tuple[bytes, bytes] | None = None

    @classmethod
    def gather(cls, *, own_user: bool, folder: bool) -> Belongings:
        """A leased user if `own_user`, files in memory for what it writes, a scratch folder if `folder`."""
        lease = uids.lease() if own_user else None
        outputs = (_file_in_memory("output"), _file_in_memory("errors"))
        return cls(lease, outputs, folders.make() if folder else None)

    @property
    def uid(self) -> int | None:
        return self.lease.uid if self.lease else None

    def output(self, limit: int) -> bytes:
        """The last `limit` bytes of output and of errors, in that order."""
        kept = self._kept or self._read(limit)
        return kept[0][-limit:] + kept[1][-limit:]

    def ran_out_of_memory(self) -> bool:
        """Whether the kernel says so of its group; False where it has none."""
        return self.group is not None and self.group.ran_out_of_memory()

    def scratch_bytes(self) -> int:
        """What lies in the scratch folder, if it is an ordinary one that nothing else bounds."""
        if self.folder is None:
            return 0
        return folders.measure(self.folder)

    def release(self) -> None:
        """Give everything back. The box must be dead; whatever still runs as its user is killed."""
        self._kept = self._read(1 << 16)
        for descriptor in self.outputs:
            os.close(descriptor)
        if self.folder is not None:
            folders.remove(self.folder)
        if self.lease is not None:
            _sweep(self.lease.uid)
            self.lease.release()
        if self.group is not None:
            self.group.kill()
            self.group.remove()

    def _read(self, limit: int) -> tuple[bytes, bytes]:
        first, second = (_tail(descriptor, limit) for descriptor in self.outputs)
        return first, second


def _file_in_memory(name: str) -> int:
    """A file that grows only at its end, whatever a box does with the descriptor's position."""
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_APPEND)
    return descriptor


def _tail(descriptor: int, limit: int) -> bytes:
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, limit, max(0, size - limit))


def _sweep(uid: int) -> None:
    """End every process of a user. A box can start none, so there is nothing unless a layer failed."""
    until = time.monotonic() + _SWEEP_S
    while (left := uids.processes_of(uid)) and time.monotonic() < until:
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.002)
