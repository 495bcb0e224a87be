"""Inside a box: channel, standard streams and the role's server, the same for sealed and unsealed boxes.

Run as a program (``python -m grader.engine.box ROLE WORLD MODULE FOLDER``) it is the unsealed box of the
portable launcher: the channel comes in on standard input and output, which student code never gets to see.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import shutil
import sys
import threading
import time
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO, cast

from grader.engine.policy import Role
from grader.engine.protocol import Channel

SERVERS: Mapping[Role, str] = {Role.CANDIDATE: "grader.engine.candidate", Role.BENCH: "grader.engine.bench"}
"""The module whose `serve` plays a role."""

EXIT_FAILED = 70
EXIT_NO_MEMORY = 71


class _Lossy(io.FileIO):
    """A raw stream whose writes are dropped, not refused, once the file has reached its size limit."""

    def write(self, data: object, /) -> int:
        try:
            return super().write(data)  # type: ignore[arg-type]
        except OSError as exc:
            if exc.errno not in (errno.EFBIG, errno.ENOSPC):
                raise
            return memoryview(data).nbytes  # type: ignore[arg-type]


def replace_streams() -> None:
    """Put fresh text streams on descriptors 0, 1 and 2; a flood of output is cut off, never an error."""
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - lives as long as we
    sys.stdout = _text_stream(1, by_line=False)
    sys.stderr = _text_stream(2, by_line=True)


def _text_stream(descriptor: int, *, by_line: bool) -> io.TextIOWrapper:
    raw = io.BufferedWriter(_Lossy(descriptor, "wb", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=by_line)


def channel_over(reading: int, writing: int) -> Channel:
    """A channel over open descriptors, which it owns from now on."""
    reader = cast("BinaryIO", open(reading, "rb", buffering=0))  # noqa: SIM115 - the channel closes it
    return Channel(reader, open(writing, "wb", closefd=writing != reading))


def serve(module: str, channel: Channel, *, role: Role, world: int) -> int:
    """Play `role` until the channel closes; what escapes it ends here. Answers the exit status."""
    try:
        server = importlib.import_module(module)
        if role is Role.CANDIDATE:
            server.serve(channel, world=world)
        else:
            server.serve(channel)
    except MemoryError:
        return EXIT_NO_MEMORY
    except BaseException:  # noqa: BLE001 - boundary of the process: told on its own standard error, then over
        traceback.print_exc()
        return EXIT_FAILED
    return 0


def leave(status: int) -> None:
    """End this process at once: no exit handler that student code registered runs."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # noqa: BLE001, S112 - student code may have replaced it with anything
            continue
    os._exit(status)


def main(arguments: list[str]) -> None:
    """Serve ROLE in WORLD by MODULE over what are now standard input and output, with FOLDER as scratch."""
    role, world, module, folder = Role(arguments[0]), int(arguments[1]), arguments[2], arguments[3]
    channel = channel_over(os.dup(0), os.dup(1))
    _redirect(os.open(os.devnull, os.O_RDONLY), 0)
    _redirect(os.open(Path(folder, ".output"), os.O_RDWR | os.O_CREAT | os.O_APPEND), 1)
    _redirect(os.open(Path(folder, ".errors"), os.O_RDWR | os.O_CREAT | os.O_APPEND), 2)
    replace_streams()
    threading.Thread(target=_die_with, args=(os.getppid(), folder), daemon=True).start()
    os.chdir(folder)
    sys.argv = ["submission"]
    leave(serve(module, channel, role=role, world=world))


def _die_with(parent: int, folder: str) -> None:
    """End this process once its parent is gone: an endless loop must not outlive whoever would kill it."""
    while os.getppid() == parent:
        time.sleep(1)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(EXIT_FAILED)


def _redirect(source: int, target: int) -> None:
    os.dup2(source, target, inheritable=False)
    os.close(source)


if __name__ == "__main__":
    main(sys.argv[1:])
