"""An assignment folder as names and bytes: hashed into its version, stored, laid out again elsewhere."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from grader.domain.errors import AssignmentInvalid

MOST_BYTES = 64 * 1024 * 1024
"""A whole folder; it travels through the database."""

_DROPPING_FOLDERS = frozenset({"__pycache__", "__MACOSX", "node_modules"})
_DROPPING_FILES = frozenset({"Thumbs.db", "desktop.ini", "Icon\r"})
_DROPPING_SUFFIXES = (".pyc", ".pyo", ".swp", ".swo", ".orig", ".rej", ".bak", ".tmp", "~")
_NOT_GRADED_WITH = frozenset({"samples"})
"""Material for demonstrations: changing it changes nobody's grade, so it is no part of a version."""

BundleFile = tuple[str, bytes]
"""A relative POSIX name and the bytes of one file."""


def bundle_files(root: Path) -> tuple[BundleFile, ...]:
    """All files of an assignment folder that matter for grading, sorted by name.

    Left out: hidden files, byte code, editors' droppings, and `samples/`. AssignmentInvalid for a symbolic
    link, a special file, or a folder of more than `MOST_BYTES`.
    """
    files: list[BundleFile] = []
    total = 0
    for path in _paths(root):
        total += path.stat().st_size
        if total > MOST_BYTES:
            raise AssignmentInvalid(
                root, f"holds more than {MOST_BYTES >> 20} MiB.", "Move large data elsewhere."
            )
        files.append((path.relative_to(root).as_posix(), path.read_bytes()))
    return tuple(sorted(files))


def content_version(root: Path) -> str:
    """SHA-256 (hex) over the names and bytes of `bundle_files`: equal folders have equal versions."""
    return version_of(bundle_files(root))


def version_of(files: Iterable[BundleFile]) -> str:
    """The version of a bundle that is already in hand; the order of its files does not matter."""
    digest = hashlib.sha256()
    for name, data in sorted(files):
        for part in (name.encode("utf-8"), data):
            digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()


def materialise(files: Iterable[BundleFile], into: Path) -> Path:
    """Lay a bundle out as the folder `into` and return it; a folder that is there already is left alone.

    The folder appears whole or not at all, so that several workers may do this at once. Only its owner may
    read it: it holds the solution.
    """
    if into.is_dir():
        return into
    into.parent.mkdir(parents=True, exist_ok=True)
    # mkdtemp gives mode 0700, which is what keeps others out
    draft = Path(tempfile.mkdtemp(prefix=f".{into.name}-", dir=into.parent))
    try:
        for name, data in files:
            target = draft.joinpath(*_safe_parts(name, into))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        _publish(draft, into)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return into


def _publish(draft: Path, into: Path) -> None:
    try:
        draft.rename(into)
    except OSError:
        if not into.is_dir():  # otherwise another process was first with the same content
            raise


def _safe_parts(name: str, into: Path) -> tuple[str, ...]:
    path = PurePosixPath(name)
    if (
        not path.parts
        or path.is_absolute()
        or ".." in path.parts
        or "\\" in name
        or ":" in name
        or "\0" in name
    ):
        raise AssignmentInvalid(into, f"the bundle holds the file name {name!r}, which leaves its folder.")
    return path.parts


def _paths(root: Path) -> Iterator[Path]:
    """Regular files worth keeping, at any depth; links are refused."""
    for folder, folders, names in os.walk(root, onerror=_unreadable):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if not _is_dropping_folder(here, name, root))
        for name in [*folders, *names]:
            if (here / name).is_symlink() and not _is_dropping_file(name):
                raise AssignmentInvalid(here / name, "is a symbolic link.", "Put the file itself there.")
        for name in names:
            if _is_dropping_file(name):
                continue
            if not (here / name).is_file():
                raise AssignmentInvalid(here / name, "is not a regular file.", "Remove it.")
            yield here / name


def _unreadable(error: OSError) -> None:
    raise AssignmentInvalid(Path(error.filename), f"cannot be read: {error.strerror}.") from error


def _is_dropping_folder(here: Path, name: str, root: Path) -> bool:
    return name.startswith(".") or name in _DROPPING_FOLDERS or (here == root and name in _NOT_GRADED_WITH)


def _is_dropping_file(name: str) -> bool:
    return name.startswith((".", "#")) or name in _DROPPING_FILES or name.endswith(_DROPPING_SUFFIXES)
