"""Layers: namespaces of processes, network, mounts, IPC and host name, entered once by the zygote.

Root may simply leave its namespaces. Anybody else needs a user namespace, in which they stay who they are.
"""

from __future__ import annotations

import os
from pathlib import Path

from grader.engine.linux import libc

_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USER, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000


def leave_host() -> None:
    """Enter new namespaces; the next child is the first process of its own. OSError if not allowed."""
    apart = _NEW_MOUNTS | _NEW_HOST_NAME | _NEW_IPC | _NEW_PROCESSES | _NEW_NETWORK
    uid, gid = os.getuid(), os.getgid()
    if uid == 0:
        libc.call("unshare", apart)
        return
    libc.call("unshare", apart | _NEW_USER)
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{uid} {uid} 1")
    (own / "gid_map").write_text(f"{gid} {gid} 1")


def own_mounts() -> None:
    """Give this process a mount namespace of its own: what it mounts vanishes with it."""
    libc.call("unshare", _NEW_MOUNTS)
