"""The filter, read by a small machine that does what the kernel's would, for both kinds of processor."""

from __future__ import annotations

import errno
import platform
import re
import struct
from pathlib import Path

import pytest

from grader.engine.linux.seal import seccomp
from grader.engine.linux.seal.syscalls import ARGUMENT_CHECKED, COLUMN, NUMBERS

MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
OWN = 4242
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS


def verdict(machine: str, number: int, *arguments: int, audit: int | None = None, gpu: bool = False) -> int:
    """What the filter for `machine` answers to a call."""
    words = [argument & (1 << 64) - 1 for argument in (*arguments, *([0] * (6 - len(arguments))))]
    data = struct.pack("<IIQ6Q", number, MACHINES[machine] if audit is None else audit, 0, *words)
    lines = list(struct.iter_unpack("<HBBI", seccomp.program(machine, OWN, gpu=gpu)))
    accumulator = position = 0
    while True:
        code, then, otherwise, k = lines[position]
        position += 1
        match code:
            case 0x20:
                accumulator = struct.unpack_from("<I", data, k)[0]
            case 0x54:
                accumulator &= k
            case 0x15:
                position += then if accumulator == k else otherwise
            case 0x35:
                position += then if accumulator >= k else otherwise
            case 0x06:
                return k
            case _:
                raise AssertionError(f"an instruction the kernel would not know: {code:#x}")


def number(machine: str, name: str) -> int:
    found = NUMBERS[name][COLUMN[machine]]
    assert found is not None
    return found


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def test_every_plain_call_on_the_list_is_allowed(machine: str):
    for name, numbers in NUMBERS.items():
        found = numbers[COLUMN[machine]]
        if found is not None and name not in ARGUMENT_CHECKED:
            assert verdict(machine, found) == ALLOW, name


def test_every_other_call_is_refused(machine: str):
    listed = {numbers[COLUMN[machine]] for numbers in NUMBERS.values()}
    for other in set(range(600)) - listed:
        assert verdict(machine, other) == EPERM, other


def test_no_number_is_listed_twice(machine: str):
    listed = [
        numbers[COLUMN[machine]] for numbers in NUMBERS.values() if numbers[COLUMN[machine]] is not None
    ]
    assert len(listed) == len(set(listed))


def test_another_processors_calls_are_deadly(machine: str):
    for audit in (0x40000003, 0x40000028, *(set(MACHINES.values()) - {MACHINES[machine]})):
        assert verdict(machine, number(machine, "read"), audit=audit) == KILL


def test_the_x32_alias_is_deadly():
    assert verdict("x86_64", 0x40000000) == KILL
    assert verdict("x86_64", 0x40000000 | 59) == KILL


def test_threads_are_allowed_and_processes_are_not(machine: str):
    clone = number(machine, "clone")
    thread = 0x3D0F00  # what the C library asks for
    assert verdict(machine, clone, thread) == ALLOW
    assert verdict(machine, clone, 17) == EPERM
    assert verdict(machine, clone, 0x4000 | 0x100 | 17) == EPERM
    for namespace in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert verdict(machine, clone, thread | namespace) == EPERM
    assert verdict(machine, number(machine, "clone3")) == ENOSYS


def test_only_it_may_be_signalled(machine: str):
    for name in ("kill", "tgkill"):
        assert verdict(machine, number(machine, name), OWN, 9) == ALLOW
        for other in (0, 1, -1, OWN + 1, -OWN):
            assert verdict(machine, number(machine, name), other, 9) == EPERM


@pytest.mark.parametrize(
    "flags, answer",
    [
        (0x22, ALLOW),
        (0x2, ALLOW),
        (0x20022, ALLOW),
        (0x21, EPERM),
        (0x1, EPERM),
        (0x3, EPERM),
        (0x122, EPERM),
    ],
)
def test_only_private_memory_is_mapped(machine: str, flags: int, answer: int):
    assert verdict(machine, number(machine, "mmap"), 0, 4096, 3, flags) == answer


def test_limits_are_read_and_never_set(machine: str):
    call = number(machine, "prlimit64")
    assert verdict(machine, call, 0, 7, 0, 0x7FFF0000) == ALLOW
    assert verdict(machine, call, 0, 7, 0x7FFF0000, 0) == EPERM
    assert verdict(machine, call, 0, 7, 0x7FFF_0000_0000, 0) == EPERM  # only the high word is set
    assert verdict(machine, call, OWN + 1, 7, 0, 0) == EPERM


def test_a_descriptor_may_be_copied_and_never_send_signals(machine: str):
    call = number(machine, "fcntl")
    assert verdict(machine, call, 3, 0) == ALLOW
    assert verdict(machine, call, 3, 1030) == ALLOW
    for command in (8, 10, 15, 1024, 1026, 1031, 1033):
        assert verdict(machine, call, 3, command) == EPERM


def test_a_terminal_may_be_asked_for_and_never_typed_into(machine: str):
    call = number(machine, "ioctl")
    assert verdict(machine, call, 0, 0x5401) == ALLOW
    assert verdict(machine, call, 0, 0x5412) == EPERM
    assert verdict(machine, call, 0, 0x541C) == EPERM


@pytest.mark.parametrize(
    "machine, header",
    [
        ("x86_64", f"/usr/include/{platform.machine()}-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_the_kernels(machine: str, header: str):
    if not Path(header).exists():
        pytest.skip(f"the kernel's headers are not installed ({header})")
    told = {
        name: int(value)
        for name, value in re.findall(r"__NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    }
    told["newfstatat"] = told.get("newfstatat", told.get("fstatat"))
    assert {name: numbers[COLUMN[machine]] for name, numbers in NUMBERS.items()} == {
        name: told.get(name) for name in NUMBERS
    }
