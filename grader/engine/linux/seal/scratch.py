"""Layer: a folder of its own in which a box may write, bounded in bytes and files, gone with the box."""

from __future__ import annotations

import os
from pathlib import Path

from grader.engine.linux.seal import namespaces, root

_FILES_PER_MIB = 64


def mount(mib: int) -> Path:
    """A tmpfs of `mib` MiB on the scratch folder, seen by this process only, owned by whoever it is now."""
    namespaces.own_mounts()
    flags = root.MS_NOSUID | root.MS_NODEV | root.MS_NOEXEC
    root.mount_tmpfs(
        root.SCRATCH, flags=flags, options=f"size={mib}m,nr_inodes={mib * _FILES_PER_MIB},mode=700"
    )
    return root.SCRATCH


def hand_over(folder: Path, uid: int) -> None:
    """Make the folder belong to the box's own user; its group stays, so that we can go on measuring it."""
    os.chown(folder, uid, -1)
