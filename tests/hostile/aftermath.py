"""Watches for what must not happen while hostile submissions are graded: marks, contacts, processes.

The attacks mark what they reach by files called ``pwned…`` and by contacts on one port of this machine.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from grader.engine.linux import uids

PORT = 47613
"""Where the attacks call."""

CANARY = "canary-5f1c0e9a"
"""Part of a made-up password in our environment; it must turn up in no report."""

_DECOYS = (".report.json", "report.json", "results.json", "result.json")
_GRACE_S = 5.0
_ROOM = 512 << 20


class Aftermath:
    """A context in which attacks are graded; `violations` names what happened since the last time."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="hostile-")))
            self._decoys = {folder / name: json.dumps({"score": 0, "passed": False}) for name in _DECOYS}
            for path, text in self._decoys.items():
                path.write_text(text)
            self._before = Path.cwd()
            stack.callback(os.chdir, self._before)
            os.chdir(folder)
            os.environ["GRADER_CANARY_URL"] = f"postgresql://grader:{CANARY}@127.0.0.1/grader"
            stack.callback(os.environ.pop, "GRADER_CANARY_URL")
            self._listener = stack.enter_context(_Listener())
            self._first = frozenset(_marks())
            self._known = set(self._first)
            self._packages = _packages()
            self._room = _room()
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def violations(self) -> list[str]:
        """What was not so at the last call, one sentence each."""
        marks = sorted(set(_marks()) - self._known)
        self._known.update(marks)
        found = [f"left {path}" for path in marks]
        found += [f"called: {contact}" for contact in self._listener.taken()]
        found += [f"changed {path.name}" for path, text in self._decoys.items() if path.read_text() != text]
        packages = _packages()
        if packages != self._packages:
            found.append("changed the installed packages")
            self._packages = packages
        before, self._room = self._room, _room()
        if before - self._room > _ROOM:
            found.append(f"filled {(before - self._room) >> 20} MiB of the temporary folder")
        return found

    def wipe(self) -> None:
        """Delete the marks that were left in this context; for experiments that expect them."""
        for path in map(Path, self._known - self._first):
            path.unlink(missing_ok=True)
        self._known = set(self._first)


class Processes:
    """The processes of one warm engine, told by the examiner's number; an attack must leave no other."""

    def __init__(self, examiner: int) -> None:
        self._examiner = examiner
        self._count = len(self._family())
        self._orphans = set(_orphans())

    def strays(self) -> list[str]:
        """Processes that were not there, or have lost their parent; the ending ones get some seconds."""
        deadline = time.monotonic() + _GRACE_S
        while found := self._found():
            if time.monotonic() > deadline:
                return found
            time.sleep(0.05)
        return []

    def _found(self) -> list[str]:
        family = self._family()
        surplus = len(family) - self._count
        found = [f"{surplus} processes more than before: {_names(family)}"] if surplus > 0 else []
        return [*found, *(f"orphan {pid}" for pid in _orphans() if pid not in self._orphans)]

    def _family(self) -> list[psutil.Process]:
        family: list[psutil.Process] = []
        with suppress(psutil.NoSuchProcess):
            family = psutil.Process(self._examiner).children(recursive=True)
        return family


def _names(family: list[psutil.Process]) -> str:
    names = []
    for process in family:
        with suppress(psutil.Error):
            names.append(process.name())
    return ", ".join(f"{count} {name}" for name, count in Counter(names).items())


def _orphans() -> Iterator[int]:
    """Processes of the throwaway users that nobody started."""
    for process in psutil.process_iter(["pid", "ppid", "uids", "status"]):
        info = process.info
        owned = info["uids"] is not None and uids.FIRST <= info["uids"].real <= uids.LAST
        if owned and info["ppid"] == 1 and info["status"] != psutil.STATUS_ZOMBIE:
            yield info["pid"]


def _marks() -> Iterator[str]:
    homes = {Path.home(), Path("/root"), Path("/home")}
    for root in (*homes, Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"), Path.cwd(), *_sites()):
        for pattern in ("pwned*", ".pwned*", "*/pwned*", "*/.pwned*", "*/__pycache__/pwned*"):
            with suppress(OSError):
                yield from map(str, root.glob(pattern))


def _sites() -> list[Path]:
    return [Path(path) for path in sys.path if path.endswith("site-packages")]


def _packages() -> list[str]:
    return sorted(str(entry) for site in _sites() if site.is_dir() for entry in site.iterdir())


def _room() -> int:
    stat = os.statvfs(tempfile.gettempdir())
    return stat.f_bavail * stat.f_frsize


class _Listener:
    """Takes every TCP and UDP contact on the attacks' port.

    Where another run, of another user, listens there already, that one takes them.
    """

    def __enter__(self) -> Self:
        self._contacts: list[str] = []
        self._ending = threading.Event()
        self._stream, self._datagrams = socket.socket(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._thread = threading.Thread(target=self._listen, daemon=True)
        with suppress(OSError):
            for each in (self._stream, self._datagrams):
                each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)  # runs side by side share it
                each.bind(("127.0.0.1", PORT))
            self._stream.listen(16)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, exc: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ending.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._stream.close()
        self._datagrams.close()

    def taken(self) -> list[str]:
        """Contacts since the last call."""
        taken, self._contacts[:] = list(self._contacts), []
        return taken

    def _listen(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._stream, selectors.EVENT_READ, self._accept)
            selector.register(self._datagrams, selectors.EVENT_READ, self._receive)
            while not self._ending.is_set():
                for key, _ in selector.select(0.2):
                    key.data()

    def _accept(self) -> None:
        caller, address = self._stream.accept()
        caller.close()
        self._contacts.append(f"TCP from {address}")

    def _receive(self) -> None:
        data, address = self._datagrams.recvfrom(2000)
        self._contacts.append(f"UDP from {address}: {data[:60]!r}")
