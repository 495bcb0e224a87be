"""Layer: a box makes the system calls on its list, with the arguments on its list, and no others.

A refused call answers EPERM, so that libraries take their ordinary way round. `clone3` answers ENOSYS: its
flags lie in memory where a filter cannot read them, and the C library then uses `clone`. A foreign machine's
calls, and the x32 alias of x86_64, kill the process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass

from grader.engine.linux import libc
from grader.engine.linux.seal import nvidia
from grader.engine.linux.seal.syscalls import ARGUMENT_CHECKED, COLUMN, NUMBERS

_LOAD, _AND, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NUMBER, _MACHINE, _ARGUMENTS = 0, 4, 16
_X32 = 0x40000000
_ALL = 0xFFFFFFFF

_AUDIT_MACHINE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_MODE_FILTER, _TSYNC = 1, 1

_Instruction = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Condition:
    """The low word of an argument, masked, equals `value`; with `high` the other word is meant."""

    argument: int
    value: int
    mask: int = _ALL
    high: bool = False


Rule = tuple[tuple[Condition, ...], ...]
"""Alternatives, each a list of conditions that must all hold."""


def _one_of(argument: int, *values: int) -> Rule:
    return tuple((Condition(argument, value),) for value in values)


_CLONE_THREAD = 0x00010000 | 0x00000800 | 0x00000100  # CLONE_THREAD | CLONE_SIGHAND | CLONE_VM
_CLONE_FORBIDDEN = 0x7E020000 | 0x2000  # every CLONE_NEW*, CLONE_PTRACE
_MAP_TYPE_OR_STACK, _MAP_PRIVATE, _MAP_SHARED = (
    0x10F,
    0x02,
    0x01,
)  # a growing stack would not count as private memory
_F_SAFE = (
    0,
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    36,
    37,
    38,
    1030,
    1032,
)  # DUPFD .. SETLKW, OFD locks, DUPFD_CLOEXEC, GETPIPE_SZ
_TCGETS, _TIOCGWINSZ, _FIONREAD, _FIONCLEX, _FIOCLEX, _FIONBIO = (
    0x5401,
    0x5413,
    0x541B,
    0x5450,
    0x5451,
    0x5421,
)
_PR_SAFE = (3, 15, 16, libc.PR_GET_SECCOMP, libc.PR_GET_NO_NEW_PRIVS)  # GET_DUMPABLE, SET_NAME, GET_NAME
_ARCH_XCOMP = (0x1022, 0x1023)  # which wide registers may be used


def _rules(own_pid: int) -> Mapping[str, Rule]:
    return {
        "arch_prctl": _one_of(0, *_ARCH_XCOMP),
        "clone": ((Condition(0, _CLONE_THREAD, _CLONE_THREAD | _CLONE_FORBIDDEN),),),
        "fcntl": _one_of(1, *_F_SAFE),
        "ioctl": _one_of(1, _TCGETS, _TIOCGWINSZ, _FIONREAD, _FIONCLEX, _FIOCLEX, _FIONBIO),
        "kill": _one_of(0, own_pid),
        # Without shared mappings the limit on private memory is a limit on memory.
        "mmap": ((Condition(3, _MAP_PRIVATE, _MAP_TYPE_OR_STACK),),),
        "prctl": _one_of(0, *_PR_SAFE),
        # Reading one's own limits only: process 0, and no new limit (a null pointer).
        "prlimit64": ((Condition(0, 0), Condition(2, 0), Condition(2, 0, high=True)),),
        "tgkill": _one_of(0, own_pid),
    }


def _rules_with_gpu(own_pid: int) -> Mapping[str, Rule]:
    """CUDA talks to its driver by commands and by memory that it shares with it."""
    rules = _rules(own_pid)
    commands = tuple((Condition(1, value, mask),) for value, mask in nvidia.COMMANDS)
    shared = (Condition(3, _MAP_SHARED, _MAP_TYPE_OR_STACK),)
    return {**rules, "ioctl": (*rules["ioctl"], *commands), "mmap": (*rules["mmap"], shared)}


def program(machine: str, own_pid: int, *, gpu: bool = False) -> bytes:
    """The filter for `machine` (as `os.uname` names it) as BPF instructions; KeyError if it is unknown."""
    column = COLUMN[machine]
    lines: list[_Instruction] = [
        (_LOAD, 0, 0, _MACHINE),
        (_EQUAL, 1, 0, _AUDIT_MACHINE[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        (_RETURN, 0, 0, _KILL),
    ]
    rules = _rules_with_gpu(own_pid) if gpu else _rules(own_pid)
    for name, numbers in NUMBERS.items():
        number = numbers[column]
        if number is None:
            continue
        answer = _answer(name, rules)
        lines += [(_EQUAL, 0, len(answer), number), *answer]
    lines.append((_RETURN, 0, 0, _REFUSE | errno.EPERM))
    return b"".join(struct.pack("<HBBI", *line) for line in lines)


def _answer(name: str, rules: Mapping[str, Rule]) -> list[_Instruction]:
    if name == "clone3":
        return [(_RETURN, 0, 0, _REFUSE | errno.ENOSYS)]
    if name not in ARGUMENT_CHECKED:
        return [(_RETURN, 0, 0, _ALLOW)]
    lines: list[_Instruction] = []
    for alternative in rules[name]:
        lines += _alternative(alternative)
    return [*lines, (_RETURN, 0, 0, _REFUSE | errno.EPERM)]


def _alternative(conditions: tuple[Condition, ...]) -> list[_Instruction]:
    """Allow if all hold; otherwise fall through to what comes next."""
    lines: list[_Instruction] = [(_RETURN, 0, 0, _ALLOW)]
    for condition in reversed(conditions):
        test: list[_Instruction] = [(_LOAD, 0, 0, _ARGUMENTS + 8 * condition.argument + 4 * condition.high)]
        if condition.mask != _ALL:
            test.append((_AND, 0, 0, condition.mask))
        lines = [*test, (_EQUAL, 0, len(lines), condition.value), *lines]
    return lines


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))


def install(*, gpu: bool = False) -> None:
    """Filter every thread of this process from now on, for good. OSError if the kernel will not."""
    machine = os.uname().machine
    code = program(machine, os.getpid(), gpu=gpu)
    libc.syscall("seccomp", _SECCOMP[machine], _SET_MODE_FILTER, _TSYNC, _Program(len(code) // 8, code))


def unavailable() -> str:
    """Why boxes cannot be filtered here; empty if they can."""
    if os.uname().machine not in COLUMN:
        return f"there is no list of calls for a {os.uname().machine}"
    try:
        libc.prctl(libc.PR_GET_SECCOMP)
    except OSError as exc:
        return str(exc)
    return ""
