"""Imports our modules in a process where nothing of ours is loaded; what went wrong goes to stdout as JSON.

Run by `modules.probe`. Modes:

- ``without``: import all modules one after the other; after each, none of the `forbidden` packages may be
  loaded. The first module that brings one in is the guilty one.
- ``alone``: import each module in a fork of its own, with warnings as errors. Everything foreign is loaded
  before the fork, so only our own modules start from nothing, and a hundred of them take seconds.
- ``elsewhere``: as ``alone``, on a pretended `platform`: `sys.platform` is patched, and what that platform's
  Python lacks (modules, functions of `os`, signals) is taken away.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.abc
import json
import os
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NoReturn

OURS = ("grader", "rubrics", "workers", "assignments", "tests")

LACKS_MODULES = {
    "win32": (
        "crypt",
        "fcntl",
        "grp",
        "nis",
        "posix",
        "pty",
        "pwd",
        "readline",
        "resource",
        "spwd",
        "syslog",
        "termios",
    ),
    "darwin": ("spwd", "msvcrt", "winreg"),
}
LACKS_NAMES = {
    "win32": {
        "os": "fork forkpty getuid geteuid getgid getegid setuid setgid setresuid setresgid setgroups "
        "setsid setpgid killpg getpgid wait3 wait4 waitid pidfd_open memfd_create sched_setaffinity "
        "sched_getaffinity mkfifo chown chroot nice statvfs uname getloadavg sysconf eventfd unshare "
        "O_NOFOLLOW O_DIRECTORY O_CLOEXEC O_NONBLOCK O_PATH WNOHANG",
        "signal": "SIGKILL SIGHUP SIGCHLD SIGALRM SIGUSR1 SIGUSR2 SIGPIPE SIGQUIT SIGSTOP SIGCONT SIGXCPU "
        "SIGXFSZ alarm setitimer pthread_sigmask sigwait sigtimedwait pidfd_send_signal",
        "socket": "AF_UNIX SO_PEERCRED SCM_RIGHTS send_fds recv_fds",
        "select": "poll epoll EPOLLIN",
    },
    "darwin": {
        "os": "pidfd_open memfd_create sched_setaffinity sched_getaffinity eventfd unshare setns setresuid "
        "setresgid O_PATH O_TMPFILE splice",
        "signal": "pidfd_send_signal sigtimedwait sigwaitinfo SIGSTKFLT",
        "socket": "SO_PEERCRED SOCK_CLOEXEC SOCK_NONBLOCK",
        "select": "epoll EPOLLIN",
    },
}

Reason = str | None


class Missing(importlib.abc.MetaPathFinder):
    """Makes some modules unimportable, as where Python is built without them."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = frozenset(names)

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:
        del path, target
        if fullname in self.names:
            raise ModuleNotFoundError(f"No module named {fullname!r} on this platform", name=fullname)


def main() -> None:
    request = json.load(sys.stdin)
    modules: list[str] = request["modules"]
    sys.path.insert(0, str(Path.cwd()))
    match request["mode"]:
        case "without":
            failures = bringing_in(request["forbidden"], modules)
        case "alone":
            load_foreign(modules)
            failures = each(modules, import_strictly)
        case "elsewhere":
            load_foreign(modules)
            failures = elsewhere(modules, request["platform"])
        case mode:
            raise SystemExit(f"unknown mode {mode!r}")
    sys.__stdout__.write("\n" + json.dumps(failures) + "\n")


def bringing_in(forbidden: list[str], modules: list[str]) -> list[dict[str, str]]:
    """The first module after whose import a forbidden package is loaded."""
    for name in modules:
        importlib.import_module(name)
        loaded = [package for package in forbidden if package in sys.modules]
        if loaded:
            return [{"module": name, "reason": f"brings in {', '.join(loaded)}"}]
    return []


def each(modules: list[str], attempt: Callable[[str], object]) -> list[dict[str, str]]:
    """Run `attempt` on every module in a fork of its own; those that raised. One lane for each core."""

    def one_after_the_other(names: list[str]) -> dict[str, object]:
        return {name: in_fork(partial(attempt, name)) for name in names}

    lanes = os.cpu_count() or 1
    running = [begin(partial(one_after_the_other, modules[lane::lanes])) for lane in range(lanes)]
    answers = [finish(child) for child in running]
    if not all(isinstance(answer, dict) for answer in answers):
        raise SystemExit(f"a lane of the probe broke: {answers}")
    reasons = {name: reason for answer in answers for name, reason in answer.items()}
    return [{"module": name, "reason": reasons[name]} for name in modules if isinstance(reasons[name], str)]


def elsewhere(modules: list[str], platform: str) -> list[dict[str, str]]:
    """Those that do not import on another platform. One fork for all is enough where nothing is wrong."""

    def import_all() -> None:
        pretend(platform)
        for name in modules:
            importlib.import_module(name)

    def import_one(name: str) -> None:
        pretend(platform)
        importlib.import_module(name)

    return [] if in_fork(import_all) is None else each(modules, import_one)


def load_foreign(modules: list[str]) -> None:
    """Import everything that is not ours but that our modules import, as found out in a fork."""
    foreign = in_fork(lambda: foreign_of(modules))
    for name in foreign if isinstance(foreign, list) else ():
        with contextlib.suppress(Exception):
            importlib.import_module(name)


def foreign_of(modules: list[str]) -> list[str]:
    for name in modules:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    return [name for name in list(sys.modules) if name.partition(".")[0] not in OURS and name != "__main__"]


def import_strictly(name: str) -> None:
    warnings.simplefilter("error")
    importlib.import_module(name)


def pretend(platform: str) -> None:
    """Make this process another platform's, as far as can be pretended: `os.name` has to stay."""
    for module, names in LACKS_NAMES[platform].items():
        for attribute in names.split():
            vars(sys.modules.get(module) or importlib.import_module(module)).pop(attribute, None)
    for module in LACKS_MODULES[platform]:
        sys.modules.pop(module, None)
    sys.meta_path.insert(0, Missing(LACKS_MODULES[platform]))
    sys.platform = platform


FORK, WAITPID, EXIT = os.fork, os.waitpid, os._exit
"""Kept, since the pretended platforms lack them."""


def in_fork(work: Callable[[], object]) -> object:
    """The result of `work` done in a fork; the last lines of its traceback, as text, if it raised."""
    return finish(begin(work))


def begin(work: Callable[[], object]) -> tuple[int, int]:
    """Start `work` in a fork: its process id, and where its answer can be read."""
    reading, writing = os.pipe()
    child = FORK()
    if not child:
        os.close(reading)
        _report(work, writing)
    os.close(writing)
    return child, reading


def finish(running: tuple[int, int]) -> object:
    """Wait for what `begin` started, and return its answer."""
    child, reading = running
    with os.fdopen(reading, encoding="utf-8") as pipe:
        answer = pipe.read()
    WAITPID(child, 0)
    return json.loads(answer) if answer else "the process died"


def _report(work: Callable[[], object], writing: int) -> NoReturn:
    try:
        result = work()
    except BaseException as problem:  # noqa: BLE001 - whatever ends an import is the finding
        result = " | ".join(traceback.format_exception(problem)[-2:]).strip().replace("\n", " ")
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:
        json.dump(result, pipe)
    EXIT(0)


if __name__ == "__main__":
    main()
