"""Files and folders of this machine, read for the command line under the same limits as an upload."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from grader.content.codes import Refusal, refused
from grader.content.limits import UploadLimits, size
from grader.content.names import Kind, kind_of, relative_name
from grader.content.sources import RawFile, RawFiles
from grader.domain.errors import NotFound, UploadRefused
from grader.domain.text import one_line


def is_folder(path: Path) -> bool:
    """Whether a path names a folder; UploadRefused where this may not be known."""
    try:
        return path.is_dir()
    except (OSError, ValueError) as error:
        raise _unreadable(path.name, error) from error


def read_file(path: Path, *, limits: UploadLimits) -> bytes:
    """The bytes of one file somebody named. A link is followed; a folder, a pipe or a device is refused."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise refused(
                Refusal.SEVERAL_UPLOADS,
                path.name,
                "is a folder among other files.",
                "Give one folder, or files.",
            )
        if not stat.S_ISREG(mode):
            raise refused(
                Refusal.SPECIAL_FILE, path.name, "is not a regular file.", "Give a file with your code."
            )
        return _bounded_bytes(path, limits.upload_bytes)
    except FileNotFoundError as error:
        raise NotFound("file", one_line(str(path), 200), "Check the path.") from error
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        raise _unreadable(path.name, error) from error


def read_folder(root: Path, *, limits: UploadLimits) -> RawFiles:
    """The Python files and notebooks below a folder. Links in it are refused, hidden files left out."""
    root = root.resolve()
    files: list[RawFile] = []
    left_out: list[str] = []
    total = 0
    for path in _regular_files(root, limits):
        name = relative_name(path.relative_to(root).as_posix(), upload=root.name)
        kind = kind_of(name)
        if kind not in (Kind.PYTHON, Kind.NOTEBOOK):
            left_out.append(name)
            continue
        most = limits.notebook_bytes if kind is Kind.NOTEBOOK else limits.file_bytes
        try:
            data = _bounded_bytes(path, most)
        except OSError as error:
            raise _unreadable(name, error) from error
        total += len(data)
        files.append(RawFile(name=name, data=data, kind=kind))
        if len(files) > limits.files or total > limits.total_bytes:
            problem = f"holds more than {limits.files} Python files or {size(limits.total_bytes)} of them."
            raise refused(
                Refusal.TOO_MANY_FILES, root.name, problem, "Give the folder with your own files only."
            )
    return RawFiles(files=tuple(files), left_out=tuple(left_out))


def _regular_files(root: Path, limits: UploadLimits) -> Iterator[Path]:
    """Paths below a folder in a fixed order, leaving out what `kind_of` calls litter before entering it."""
    entries = 0
    for folder, folders, names in os.walk(root, onerror=lambda error: _raise_unreadable(root, error)):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if _is_entered(here / name))
        for name in sorted([*folders, *names]):
            path = here / name
            entries += 1
            if entries > limits.entries:
                problem = f"holds more than {limits.entries:,} files."
                raise refused(
                    Refusal.TOO_MANY_FILES, root.name, problem, "Give the folder with your own files only."
                )
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode) and _matters(path.relative_to(root)):
                shown = one_line(path.relative_to(root).as_posix(), 60)
                raise refused(
                    Refusal.LINK,
                    root.name,
                    f"holds a symbolic link, {shown!r}.",
                    "Put the file itself there.",
                )
            if stat.S_ISREG(mode):
                yield path


def _is_entered(folder: Path) -> bool:
    """Virtual environments hold thousands of files that are not the student's."""
    return (
        not folder.name.startswith(".")
        and not (folder / "pyvenv.cfg").exists()
        and kind_of(folder.name) is not Kind.LITTER
    )


def _matters(name: Path) -> bool:
    return kind_of(name.as_posix()) is not Kind.LITTER and not name.name.startswith(".")


def _bounded_bytes(path: Path, most: int) -> bytes:
    """At most `most` bytes of a file, whatever size it claims; UploadRefused if there are more."""
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise refused(
            Refusal.TOO_LARGE, path.name, f"is larger than {size(most)}.", "Move data out of your code."
        )
    return data


def _raise_unreadable(root: Path, error: OSError) -> None:
    raise _unreadable(root.name, error) from error


def _unreadable(name: str, error: Exception) -> UploadRefused:
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return refused(Refusal.UNREADABLE, name, f"cannot be read: {reason}.", "Check its permissions.")
