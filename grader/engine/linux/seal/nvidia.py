"""What must stay open for CUDA in a bench on a GPU node, and nothing else: data, and a search for nodes.

Written from public sources and not yet tried on hardware: which nodes the container toolkit hands out, and
which commands a program needs that only computes (after the list that gVisor's proxy lets through; the
numbers are those of NVIDIA's open kernel modules: nv-ioctl-numbers.h, nv_escape.h, uvm_ioctl.h). A candidate
never gets any of it: student's Python does not run where a GPU is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

FACTS = Path("/proc/driver/nvidia")
"""The driver's description of itself, read-only."""

_NODE = re.compile(r"^nvidia(ctl|\d+|-uvm)$")

_MAGIC = ord("F") << 8
_ANY_SIZE = 0xFFFF
"""Of a command of the control and device nodes: letter and number; the rest is the size of its argument."""

_FRONTEND = {
    "CARD_INFO": 200, "REGISTER_FD": 201, "ALLOC_OS_EVENT": 206, "FREE_OS_EVENT": 207,
    "CHECK_VERSION_STR": 210, "ATTACH_GPUS_TO_FD": 212, "SYS_PARAMS": 214, "NUMA_INFO": 215,
    "WAIT_OPEN_COMPLETE": 218,
    "RM_ALLOC_MEMORY": 0x27, "RM_FREE": 0x29, "RM_CONTROL": 0x2A, "RM_ALLOC": 0x2B, "RM_DUP_OBJECT": 0x34,
    "RM_SHARE": 0x35, "RM_IDLE_CHANNELS": 0x41, "RM_VID_HEAP_CONTROL": 0x4A, "RM_MAP_MEMORY": 0x4E,
    "RM_UNMAP_MEMORY": 0x4F, "RM_ALLOC_CONTEXT_DMA2": 0x54, "RM_MAP_MEMORY_DMA": 0x57,
    "RM_UNMAP_MEMORY_DMA": 0x58, "RM_UPDATE_DEVICE_MAPPING_INFO": 0x5E,
}  # fmt: skip
"""Left out: exports of memory to other processes and devices (EXPORT_TO_DMABUF_FD)."""

_UNIFIED_MEMORY = {
    "INITIALIZE": 0x30000001, "DEINITIALIZE": 0x30000002, "CREATE_RANGE_GROUP": 23, "DESTROY_RANGE_GROUP": 24,
    "REGISTER_GPU_VASPACE": 25, "UNREGISTER_GPU_VASPACE": 26, "REGISTER_CHANNEL": 27,
    "UNREGISTER_CHANNEL": 28, "MAP_EXTERNAL_ALLOCATION": 33, "FREE": 34, "REGISTER_GPU": 37,
    "UNREGISTER_GPU": 38,
    "PAGEABLE_MEM_ACCESS": 39, "SET_PREFERRED_LOCATION": 42, "DISABLE_READ_DUPLICATION": 45,
    "MAP_DYNAMIC_PARALLELISM_REGION": 65, "ALLOC_SEMAPHORE_POOL": 68, "VALIDATE_VA_RANGE": 72,
    "CREATE_EXTERNAL_RANGE": 73, "MM_INITIALIZE": 75,
}  # fmt: skip

COMMANDS: tuple[tuple[int, int], ...] = (
    *((_MAGIC | number, _ANY_SIZE) for number in _FRONTEND.values()),
    *((number, 0xFFFFFFFF) for number in _UNIFIED_MEMORY.values()),
)
"""Allowed ioctl commands, as value and mask."""

VARIABLES = {"JAX_PLATFORMS": "cuda,cpu", "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
"""What a bench on a GPU is told besides. Memory is taken as it is needed, so a program's demand shows."""

OPEN_FILES = 1024


def nodes(folder: Path = Path("/dev")) -> tuple[Path, ...]:
    """The device nodes that computing needs, as far as they are there."""
    return _existing(folder / name for name in sorted(_names(folder)) if _NODE.match(name))


def _names(folder: Path) -> Iterable[str]:
    return (entry.name for entry in folder.iterdir()) if folder.is_dir() else ()


def _existing(paths: Iterable[Path]) -> tuple[Path, ...]:
    return tuple(path for path in paths if path.exists())


def facts() -> tuple[Path, ...]:
    """`FACTS` where there is a driver."""
    return _existing((FACTS,))
