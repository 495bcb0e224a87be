"""The C library by hand: calls that Python does not offer, raising OSError like those it does."""

from __future__ import annotations

import ctypes
import os

_libc = ctypes.CDLL(None, use_errno=True)

Argument = int | bytes | ctypes.Array[ctypes.c_char] | ctypes.Structure | None


def _raw(argument: Argument) -> object:
    if isinstance(argument, int):
        return ctypes.c_long(argument)
    if isinstance(argument, ctypes.Structure):
        return ctypes.byref(argument)
    return argument


def call(name: str, *arguments: Argument) -> int:
    """Call the libc function `name`; OSError, naming it, if it answers -1."""
    result = getattr(_libc, name)(*map(_raw, arguments))
    return _checked(name, int(result))


def syscall(name: str, number: int, *arguments: Argument) -> int:
    """Make the system call `number`; OSError, naming it `name`, if it fails."""
    _libc.syscall.restype = ctypes.c_long
    return _checked(name, int(_libc.syscall(ctypes.c_long(number), *map(_raw, arguments))))


def _checked(name: str, result: int) -> int:
    if result == -1:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")
    return result


PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_GET_SECCOMP = 21
PR_SET_NO_NEW_PRIVS = 38
PR_GET_NO_NEW_PRIVS = 39


def prctl(option: int, value: int = 0) -> int:
    """``prctl(option, value, 0, 0, 0)``."""
    return call("prctl", option, value, 0, 0, 0)
