"""Layer: a root file system that holds what a box must read, read-only, and nothing else.

Made once, by the zygote, in its own mount namespace: a small tmpfs with the interpreter, the packages and the
system's libraries bound into it at their own paths. Folders on the way are ours and open to everybody, so an
interpreter below somebody's private home works for a box that has given up being that somebody.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

from grader.engine.linux import libc
from grader.engine.linux.readable import DEVICES, Readable
from grader.engine.linux.seal import landlock, nvidia

SCRATCH = Path("/scratch")
"""Where each box mounts its own folder."""

MS_NOSUID, MS_NODEV, MS_NOEXEC = 2, 4, 8
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_DETACH = 2

# A mount over /proc hides nothing that is bound below it; /tmp or /mnt might hold the interpreter.
_STAGING = Path("/proc")


def enter(readable: Readable) -> None:
    """Build the root and make it this process's own. OSError, naming the call, if a step is refused."""
    copies = [(path, path.read_bytes()) for path in readable.copied]
    libc.call("mount", b"none", b"/", None, _MS_REC | _MS_PRIVATE, None)
    mount_tmpfs(_STAGING, flags=MS_NOSUID, options="size=4m,mode=755")
    try:
        _build(readable)
        for path, content in copies:
            _write(path, content)
        _seal_mounts()
        os.chdir(_STAGING)
        libc.call("pivot_root", b".", b".")
    except OSError:
        os.chdir("/")
        libc.call("umount2", os.fsencode(_STAGING), _DETACH)
        raise
    libc.call("umount2", b".", _DETACH)
    os.chdir("/")


def _build(readable: Readable) -> None:
    for path in readable.folders:
        _bind(path)
    for path in readable.masked:
        mount_tmpfs(_staged(path), flags=MS_NOSUID | MS_NODEV, options="size=64k,mode=755")
    # Landlock alone then keeps candidates from a GPU, whose nodes everybody may open; so not without it.
    driver = () if landlock.unavailable() else (*nvidia.nodes(), *nvidia.facts())
    for path in (*readable.product, *DEVICES, *driver):
        _bind(path)
    _staged(SCRATCH).mkdir(mode=0o755)


def _write(path: Path, content: bytes) -> None:
    target = _staged(path)
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    target.write_bytes(content)
    target.chmod(0o444)


def mount_tmpfs(target: Path, *, flags: int, options: str) -> None:
    """Mount an empty file system in memory on `target`."""
    libc.call("mount", b"tmpfs", os.fsencode(target), b"tmpfs", flags, options.encode())


def _staged(path: Path) -> Path:
    return _STAGING / path.relative_to("/")


def _bind(path: Path) -> None:
    """Show `path` at its own place in the new root, with all that is mounted below it."""
    target = _staged(path)
    target.parent.mkdir(mode=0o755, parents=True, exist_ok=True)
    if path.is_symlink():
        target.symlink_to(path.readlink())
        return
    if path.is_dir():
        target.mkdir(mode=0o755, exist_ok=True)
    else:
        target.touch(mode=0o644)
    libc.call("mount", os.fsencode(path), os.fsencode(target), None, _MS_BIND | _MS_REC, None)


_MOUNT_SETATTR = 442
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY, _NO_SUID = 0x1, 0x2


class _Attributes(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint64) for name in ("add", "remove", "propagation", "user_namespace"))


def _seal_mounts() -> None:
    """Make everything read-only at once, what is mounted below the folders too."""
    attributes = _Attributes(_READ_ONLY | _NO_SUID, 0, 0, 0)
    size = ctypes.sizeof(attributes)
    target = os.fsencode(_STAGING)
    libc.syscall("mount_setattr", _MOUNT_SETATTR, _AT_FDCWD, target, _AT_RECURSIVE, attributes, size)
