"""Scratch folders on an ordinary file system, for boxes that cannot have a mount of their own."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import sys
import tempfile
from pathlib import Path

_SMALLEST = 4096
"""What even an empty file costs, so that many of them are noticed."""


def make() -> Path:
    """Open to our group as well: it will be the box's user's, and root in a container reads like anybody."""
    made = Path(tempfile.mkdtemp(prefix="box-"))
    made.chmod(0o770)
    return made


def measure(folder: Path) -> int:
    """Bytes below it, as far as we may look; without bound if it nests deeper than a path can tell."""
    total, left = 0, [str(folder)]
    while left:
        try:
            entries = tuple(os.scandir(left.pop()))
        except OSError as exc:
            if exc.errno == errno.ENAMETOOLONG:
                return sys.maxsize
            continue  # gone meanwhile, or locked; a container's root is a plain reader
        total += sum(map(_size, entries))
        left += [entry.path for entry in entries if entry.is_dir(follow_symlinks=False)]
    return total


def remove(top: Path) -> None:
    """Delete a folder with all that a box left in it, however deep it nested and whatever it locked.

    Folders are first made ours, then moved up to `top`, so that no path grows long and nothing recurses.
    """
    folders = [top]
    with contextlib.suppress(OSError):
        while folders:
            folder = folders.pop()
            _own(folder)
            for entry in tuple(os.scandir(folder)):
                if entry.is_dir(follow_symlinks=False):
                    _own(Path(entry.path))
                    folders.append(Path(entry.path).rename(top / secrets.token_hex(16)))
                else:
                    Path(entry.path).unlink()
            if folder != top:
                folder.rmdir()
        top.rmdir()


def _own(folder: Path) -> None:
    os.chown(folder, os.geteuid(), os.getegid())
    folder.chmod(0o700)


def _size(entry: os.DirEntry[str]) -> int:
    try:
        return max(entry.stat(follow_symlinks=False).st_size, _SMALLEST)
    except OSError:
        return 0
