"""The process that keeps an embedded worker from being left behind. A script of the standard library only.

    python -I -S guard.py [--patience SECONDS] [--remove FOLDER] COMMAND ...

Standard input is a pipe from the process that wants the worker. When that process ends, however it ends, the
pipe closes: the guard asks the command to stop, kills its whole process group when patience is over, and
removes the folder. Should the guard itself be killed, the kernel asks the command to stop (Linux). The guard
ends with the command's exit code.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import select
import shutil
import signal
import subprocess
import sys
from contextlib import suppress

_LOOK_EVERY_S = 0.1
_PR_SET_PDEATHSIG = 1

TIME_TO_CLEAR_UP_S = 2.0
"""For a command that was told to stop at once."""


def main(arguments: list[str]) -> int:
    """Read the arguments and guard."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--patience", type=float, default=8.0)
    parser.add_argument("--remove")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    try:
        return guard(options.command, patience_s=options.patience)
    finally:
        if options.remove:
            shutil.rmtree(options.remove, ignore_errors=True)


def guard(command: list[str], *, patience_s: float) -> int:
    """Run a command until standard input ends."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        # Safe here, where there are no threads.
        preexec_fn=_prepare,  # noqa: PLW1509
    )
    while process.poll() is None:
        if _lifeline_closed():
            _stop(process, patience_s=patience_s)
    _kill_group(process.pid)
    return process.returncode


def _prepare() -> None:
    """In the child: signals as usual again, and a request to stop when the guard dies."""
    guard_pid = os.getppid()
    for restored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(restored, signal.SIG_DFL)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != guard_pid:  # it died before the kernel was told
            os._exit(1)


def _lifeline_closed() -> bool:
    readable, _, _ = select.select([sys.stdin.fileno()], [], [], _LOOK_EVERY_S)
    return bool(readable) and not os.read(sys.stdin.fileno(), 1024)


def _stop(process: subprocess.Popen[bytes], *, patience_s: float) -> None:
    """Ask, insist, kill. Celery takes SIGQUIT as "at once": it gives up its tasks but still clears up."""
    for request, seconds in ((signal.SIGTERM, patience_s), (signal.SIGQUIT, TIME_TO_CLEAR_UP_S)):
        process.send_signal(request)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            continue
        return
    _kill_group(process.pid)
    process.wait()


def _kill_group(pid: int) -> None:
    """Kill what is left of the command's group; the group's number stays taken while it has members."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
