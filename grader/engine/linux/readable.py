"""What a box may read, by name: interpreter, installed packages, the system's libraries, our own engine.

Never a folder because it is on the import path: that would open course folders, with their solutions.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import grader

DEVICES = tuple(Path("/dev") / name for name in ("null", "zero", "urandom", "random"))

_SYSTEM = tuple(
    Path(name)
    for name in (
        "/usr/lib", "/usr/lib64", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime",
        "/usr/share/zoneinfo", "/sys/devices/system/cpu",
    )
)  # fmt: skip
_COPIED = (Path("/proc/cpuinfo"),)
"""With the processors' folder, what XLA's matrix kernels ask about the machine; not told, they refuse."""
_SITE_NAMES = frozenset({"site-packages", "dist-packages"})
_OURS = ("grader", "rubrics", "workers", "assignments")
_PRODUCT = ("__init__.py", "domain", "engine")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """Absolute paths. `masked` lie within `folders` and are hidden, save for what is in `product`.

    `copied` are single files of /proc, of which a private root gets a copy and nothing more.
    """

    folders: tuple[Path, ...]
    masked: tuple[Path, ...]
    product: tuple[Path, ...]
    copied: tuple[Path, ...]


def find(extra: Iterable[Path] = ()) -> Readable:
    """What this interpreter needs, and `extra`."""
    folders = _without_nested(
        path for path in (*_interpreter(), *_site_folders(), *_SYSTEM, *extra) if path.exists()
    )
    masked = [site / name for site in _site_folders() for name in _OURS if (site / name).is_dir()]
    home = Path(grader.__file__).parent
    return Readable(
        folders=folders,
        masked=tuple(path for path in masked if not path.is_symlink()),
        product=tuple(home / name for name in _PRODUCT),
        copied=tuple(path for path in _COPIED if path.exists()),
    )


def _interpreter() -> Iterator[Path]:
    for name in ("stdlib", "platstdlib"):
        yield Path(sysconfig.get_path(name))
    for name in ("lib", "lib64"):
        yield Path(sys.base_prefix) / name


def _site_folders() -> Iterator[Path]:
    """Where packages are installed: on our path, and beside the standard library, which a venv may hide."""
    beside = (Path(sysconfig.get_path("stdlib")) / name for name in _SITE_NAMES)
    for path in dict.fromkeys((*map(Path, sys.path), *beside)):
        if path.is_absolute() and path.name in _SITE_NAMES and path.is_dir():
            yield path


def _without_nested(paths: Iterable[Path]) -> tuple[Path, ...]:
    """In order of depth, without those that lie below another."""
    kept: list[Path] = []
    for path in sorted(set(paths), key=lambda path: len(path.parts)):
        if not any(folder in path.parents for folder in kept if not folder.is_symlink()):
            kept.append(path)
    return tuple(kept)


def expanded(readable: Readable) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """For Landlock, whose grants cover all that lies below: what to read, and folders only to list."""
    read: list[Path] = []
    listed: list[Path] = []
    for folder in readable.folders:
        _expand(folder, readable.masked, read, listed)
    return (*read, *readable.product, *readable.copied), tuple(listed)


def _expand(folder: Path, masked: tuple[Path, ...], read: list[Path], listed: list[Path]) -> None:
    hidden = [path for path in masked if folder in path.parents]
    if not hidden:
        read.append(folder)
        return
    listed.append(folder)
    for entry in os.scandir(folder):
        path = folder / entry.name
        if path not in masked and not entry.is_symlink():
            _expand(path, masked, read, listed)
