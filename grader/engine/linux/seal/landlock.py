"""Layer: Landlock. A box reads what is on its list and writes its scratch folder, whoever it is."""

from __future__ import annotations

import ctypes
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from grader.engine.linux import libc

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_VERSION = 1
_PATH_BENEATH = 1
MINIMUM_ABI = 3
"""Older kernels let a box truncate files that it may only read."""

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR, _TRUNCATE, _IOCTL_DEV = (
    1 << 0,
    1 << 1,
    1 << 2,
    1 << 3,
    1 << 14,
    1 << 15,
)
_REMOVE_DIR, _REMOVE_FILE, _MAKE_DIR, _MAKE_REG = 1 << 4, 1 << 5, 1 << 7, 1 << 8
_ON_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV

READ = _READ_FILE | _READ_DIR
LIST = _READ_DIR
WRITE = READ | _WRITE_FILE | _TRUNCATE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG
DEVICE = _READ_FILE | _WRITE_FILE
DRIVER = DEVICE | _IOCTL_DEV
"""A device that is talked to by commands; older kernels than 6.10 do not tell these from reading."""

_FILES_ABI_3 = (1 << 15) - 1
_IOCTL_ABI, _NETWORK_ABI, _SCOPE_ABI = 5, 4, 6
_TCP = 0b11
_ABSTRACT_SOCKETS_AND_SIGNALS = 0b11


class _Ruleset(ctypes.Structure):
    _fields_ = (("files", ctypes.c_uint64), ("network", ctypes.c_uint64), ("scoped", ctypes.c_uint64))


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("parent", ctypes.c_int32))


def abi() -> int:
    """The kernel's version of Landlock; 0 if it has none."""
    try:
        return libc.syscall("landlock_create_ruleset", _CREATE_RULESET, None, 0, _VERSION)
    except OSError:
        return 0


def unavailable() -> str:
    """Why the kernel's Landlock cannot be used; empty if it can."""
    version = abi()
    if version >= MINIMUM_ABI:
        return ""
    return (
        f"the kernel offers version {version}, needed is {MINIMUM_ABI}" if version else "the kernel has none"
    )


def ruleset(grants: Iterable[tuple[Path, int]]) -> int:
    """Rules that allow `grants` (an existing path; READ, LIST, WRITE or DEVICE below it) and nothing else.

    A descriptor for `enforce`. Made by whoever may find the paths: the kernel remembers files, not names.
    """
    version = abi()
    handled = _Ruleset(
        _FILES_ABI_3 | (_IOCTL_DEV if version >= _IOCTL_ABI else 0),
        _TCP if version >= _NETWORK_ABI else 0,
        _ABSTRACT_SOCKETS_AND_SIGNALS if version >= _SCOPE_ABI else 0,
    )
    size = 24 if version >= _SCOPE_ABI else 16 if version >= _NETWORK_ABI else 8
    rules = libc.syscall("landlock_create_ruleset", _CREATE_RULESET, handled, size, 0)
    for path, allowed in grants:
        _add(rules, path, allowed & handled.files)
    return rules


def enforce(rules: int) -> None:
    """Hold this process to `rules`, which it closes, from now on."""
    libc.syscall("landlock_restrict_self", _RESTRICT_SELF, rules, 0)
    os.close(rules)


def _add(ruleset: int, path: Path, allowed: int) -> None:
    descriptor = os.open(path, os.O_PATH)
    try:
        if not stat.S_ISDIR(os.fstat(descriptor).st_mode):
            allowed &= _ON_FILES
        rule = _PathBeneath(allowed, descriptor)
        libc.syscall("landlock_add_rule", _ADD_RULE, ruleset, _PATH_BENEATH, rule, 0)
    finally:
        os.close(descriptor)
