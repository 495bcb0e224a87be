"""Runs a command where no namespace can be made and nothing mounted, as in an ordinary container.

    python -m tests.hostile.confined ARGUMENT..

The arguments are the interpreter's. With ``python -m tests.ordinary user`` in front of it this is the least
that a grader may be given: no root, no namespaces.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from grader.engine.linux import libc

_LOAD, _AND, _EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_CALLS = {
    # clone, clone3, then what is refused: unshare, setns, mount, umount2, pivot_root, fsopen, move_mount
    "x86_64": (56, 435, (272, 308, 165, 166, 155, 430, 429)),
    "aarch64": (220, 435, (97, 268, 40, 39, 41, 430, 429)),
}
_NEW_NAMESPACES = 0x7E020000
_PR_SET_NO_NEW_PRIVS = 38


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def confine() -> None:
    """Refuse namespaces and mounts to this process and all that it starts, for good."""
    machine = os.uname().machine
    clone, clone3, refused = _CALLS[machine]
    no = (_RETURN, 0, 0, _REFUSE | errno.EPERM)
    lines = [(_LOAD, 0, 0, 0)]
    for number in refused:
        lines += [(_EQUAL, 0, 1, number), no]
    lines += [(_EQUAL, 0, 1, clone3), (_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    lines += [(_EQUAL, 0, 4, clone), (_LOAD, 0, 0, 16), (_AND, 0, 0, _NEW_NAMESPACES), (_EQUAL, 1, 0, 0), no]
    lines += [(_RETURN, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("<HBBI", *line) for line in lines)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1)
    libc.syscall("seccomp", _SECCOMP[machine], 1, 0, _Program(len(lines), code))


if __name__ == "__main__":
    confine()
    os.execv(sys.executable, [sys.executable, *sys.argv[1:]])  # noqa: S606 - ourselves, again
