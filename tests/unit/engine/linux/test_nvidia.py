"""What is open on a GPU node: some nodes and commands to the bench, nothing to a candidate. Needs no GPU."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from grader.engine.linux.seal import landlock, nvidia
from grader.engine.policy import BoxPolicy, Role
from tests.unit.engine.linux.test_seccomp import ALLOW, EPERM, MACHINES, number, verdict

IOCTL = {machine: number(machine, "ioctl") for machine in MACHINES}
_READ_AND_WRITE = 3 << 30


def command(nr: int, size: int) -> int:
    """A command of the control and device nodes, as C's _IOWR makes it."""
    return _READ_AND_WRITE | size << 16 | ord("F") << 8 | nr


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return request.param


def test_the_nodes_that_computing_needs_are_found_and_no_others(tmp_path: Path):
    others = ("null", "nvidia-uvm-tools", "nvidia-modeset", "nvidia-caps", "nvidiaX", "xnvidia0")
    for name in ("nvidia0", "nvidia12", "nvidiactl", "nvidia-uvm", *others):
        (tmp_path / name).touch()
    assert [path.name for path in nvidia.nodes(tmp_path)] == [
        "nvidia-uvm",
        "nvidia0",
        "nvidia12",
        "nvidiactl",
    ]


def test_a_machine_without_a_gpu_has_none(tmp_path: Path):
    assert nvidia.nodes(tmp_path) == nvidia.nodes(tmp_path / "away") == ()


@pytest.mark.parametrize("nr, size", [(0x2A, 32), (0x2B, 48), (200, 72), (210, 72), (0x4E, 56), (218, 8)])
def test_the_bench_may_send_a_listed_command_whatever_its_size(machine: str, nr: int, size: int):
    assert verdict(machine, IOCTL[machine], 5, command(nr, size), gpu=True) == ALLOW


@pytest.mark.parametrize("nr", [217, 205, 213, 0x00, 0x28, 0xFF])
def test_a_command_that_is_not_listed_is_refused(machine: str, nr: int):
    assert verdict(machine, IOCTL[machine], 5, command(nr, 32), gpu=True) == EPERM


@pytest.mark.parametrize(
    "raw, answer",
    [(0x30000001, ALLOW), (75, ALLOW), (73, ALLOW), (76, EPERM), (0x30000003, EPERM), (1 << 16 | 75, EPERM)],
)
def test_commands_of_unified_memory_are_compared_whole(machine: str, raw: int, answer: int):
    assert verdict(machine, IOCTL[machine], 5, raw, gpu=True) == answer


def test_without_the_gpu_none_of_the_commands_is_allowed(machine: str):
    for value, _ in nvidia.COMMANDS:
        assert verdict(machine, IOCTL[machine], 5, value) == EPERM
        assert verdict(machine, IOCTL[machine], 5, _READ_AND_WRITE | 32 << 16 | value) == EPERM


def test_memory_is_shared_with_the_driver_and_stacks_do_not_grow(machine: str):
    mmap = number(machine, "mmap")
    for flags, answer in ((0x01, ALLOW), (0x02, ALLOW), (0x03, EPERM), (0x101, EPERM), (0x102, EPERM)):
        assert verdict(machine, mmap, 0, 4096, 3, flags, gpu=True) == answer


def test_all_else_is_as_in_any_box(machine: str):
    for name in ("clone", "kill", "prctl", "fcntl"):
        for argument in (0, 1, 17, 0x10000000):
            plain = verdict(machine, number(machine, name), argument)
            assert verdict(machine, number(machine, name), argument, gpu=True) == plain
    for call in ("x86_64", "aarch64"):
        assert verdict(call, 599, gpu=True) == 0x00050000 | errno.EPERM


def test_a_candidate_with_a_gpu_cannot_be_asked_for():
    with pytest.raises(ValueError, match="only a bench"):
        BoxPolicy(role=Role.CANDIDATE, gpu=True)
    policy = BoxPolicy(role=Role.BENCH, gpu=True)
    assert BoxPolicy.from_json(policy.to_json()) == policy


@pytest.mark.skipif(bool(landlock.unavailable()), reason="this kernel has no Landlock to grant by")
def test_grants_for_a_driver_are_taken_by_this_kernel():
    os.close(landlock.ruleset([(Path("/dev/null"), landlock.DRIVER)]))
