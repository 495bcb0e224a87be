"""Files of this machine as they are sent: to the node's own database, or to a server."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

from grader.content.folders import is_folder, read_file, read_folder
from grader.content.limits import DEFAULT_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class SentFile:
    """One file of an upload, before anybody has looked into it."""

    name: str
    data: bytes = field(repr=False)


def files_of(paths: tuple[Path, ...]) -> tuple[SentFile, ...]:
    """The files as they are sent: their bytes as they are, a folder as a zip of its Python files."""
    if len(paths) == 1 and is_folder(paths[0]):
        return (_zipped(paths[0]),)
    return tuple(SentFile(name=path.name, data=read_file(path, limits=DEFAULT_LIMITS)) for path in paths)


def _zipped(folder: Path) -> SentFile:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in read_folder(folder, limits=DEFAULT_LIMITS).files:
            # A fixed date: the same files make the same upload, with the same hash.
            archive.writestr(zipfile.ZipInfo(file.name), file.data)
    return SentFile(name=f"{folder.resolve().name or 'folder'}.zip", data=buffer.getvalue())
