"""The process that keeps an embedded Valkey from being left behind. A script of the standard library only.

    python -I -S valkey_guard.py FOLDER SERVER    (standard input: a pipe from the process that wants Valkey)

When that process ends, however it ends, the pipe closes: the guard stops Valkey and removes its folder.
Should the guard itself be killed, the kernel kills Valkey (Linux). Should Valkey be killed, the guard starts
it again, empty, on the same socket: the database knows what the broker has forgotten.
"""

from __future__ import annotations

import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

PID_FILE = "valkey.pid"
CONFIGURATION = "valkey.conf"
LOG = "valkey.log"

_LOOK_EVERY_S = 0.2
_TIME_TO_STOP_S = 3.0
_PAUSE_BETWEEN_STARTS_S = 0.2
_PR_SET_PDEATHSIG = 1


def guard(folder: Path, server: Path) -> None:
    """Keep Valkey running in `folder` until standard input ends, then leave nothing."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    valkey = _start(folder, server)
    try:
        while not _lifeline_closed():
            if valkey.poll() is not None:
                time.sleep(_PAUSE_BETWEEN_STARTS_S)
                valkey = _start(folder, server)
    finally:
        _stop(valkey)
        shutil.rmtree(folder, ignore_errors=True)


def _start(folder: Path, server: Path) -> subprocess.Popen[bytes]:
    with (folder / LOG).open("ab") as log:
        valkey = subprocess.Popen(
            [server, folder / CONFIGURATION],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Safe here, where there are no threads.
            preexec_fn=_die_with_guard if sys.platform == "linux" else None,  # noqa: PLW1509
        )
    draft = folder / f"{PID_FILE}.new"
    draft.write_text(str(valkey.pid), encoding="ascii")
    draft.replace(folder / PID_FILE)
    return valkey


def _die_with_guard() -> None:
    guard_pid = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != guard_pid:  # it died before the kernel was told
        os._exit(1)


def _lifeline_closed() -> bool:
    readable, _, _ = select.select([sys.stdin.fileno()], [], [], _LOOK_EVERY_S)
    return bool(readable) and not os.read(sys.stdin.fileno(), 1024)


def _stop(valkey: subprocess.Popen[bytes]) -> None:
    valkey.terminate()
    try:
        valkey.wait(_TIME_TO_STOP_S)
    except subprocess.TimeoutExpired:
        valkey.kill()
        valkey.wait()


if __name__ == "__main__":
    guard(Path(sys.argv[1]), Path(sys.argv[2]))
