"""Layer: resource limits that hold without anybody watching."""

from __future__ import annotations

import resource

from grader.engine.linux.seal import nvidia
from grader.engine.policy import BoxPolicy

_MIB = 1 << 20
OPEN_FILES = 64
ADDRESSES_GIB = 64
"""Address space of a box. JAX needs two; a TiB that is only looked at takes 2 GiB of page tables."""


def processes(cores: int) -> int:
    """How many threads a box may have: JAX starts a few for each core."""
    return 64 + 4 * cores


def impose(policy: BoxPolicy, *, cores: int, own_user: bool) -> None:
    """Set every limit, soft and hard alike.

    Private memory (DATA) is bounded somewhat above the watched limit, so that a leap is stopped even between
    two looks of the watchdog. Page tables count as nobody's memory, so the addresses (AS) that they serve are
    bounded. Processes are counted per user, so they are bounded only where the box has its
    own.
    """
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NOFILE: nvidia.OPEN_FILES if policy.gpu else OPEN_FILES,
        resource.RLIMIT_FSIZE: policy.scratch_mib * _MIB,
        resource.RLIMIT_DATA: (policy.memory_mib * 5 // 4 + 256) * _MIB,
    }
    if not policy.gpu:  # CUDA reserves as much address space as there is memory of any kind
        bounds[resource.RLIMIT_AS] = (ADDRESSES_GIB << 30) + policy.memory_mib * _MIB
    if own_user:
        bounds[resource.RLIMIT_NPROC] = processes(cores)
    for limit, bound in bounds.items():
        resource.setrlimit(limit, (bound, bound))
    if policy.cpu_s is not None:
        # The soft limit sends SIGXCPU, which code can ignore; a second later the hard one kills.
        resource.setrlimit(resource.RLIMIT_CPU, (policy.cpu_s, policy.cpu_s + 1))
