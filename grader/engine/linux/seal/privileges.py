"""Layer: no privilege is left or can be gained, nobody may look in, and the process dies with its parent."""

from __future__ import annotations

import ctypes
import os
import signal

from grader.engine.linux import libc

_CAPABILITY_VERSION_3 = 0x20080522


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    """Effective, permitted and inheritable capabilities, low words then high words: all empty."""

    _fields_ = (("words", ctypes.c_uint32 * 6),)


def give_up(*, parent: int) -> None:
    """All of this layer at once."""
    drop_capabilities()
    die_with(parent)
    forbid_inspection()
    forbid_new_privileges()


def drop_capabilities() -> None:
    """Empty every capability set; in a user namespace a change of user alone would leave them full."""
    libc.call("capset", _Header(_CAPABILITY_VERSION_3, 0), _Sets())


def die_with(parent: int) -> None:
    """Be killed when `parent` dies. Cleared by a change of user, so call it after that."""
    libc.prctl(libc.PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)  # it died before we asked


def forbid_inspection() -> None:
    """No core files, and no other process of this user may read or trace this one."""
    libc.prctl(libc.PR_SET_DUMPABLE, 0)


def forbid_new_privileges() -> None:
    """Executing a set-user-id file gains nothing from now on; the system call filter depends on this."""
    libc.prctl(libc.PR_SET_NO_NEW_PRIVS, 1)
