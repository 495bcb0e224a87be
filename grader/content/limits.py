"""How much of an upload is read, and sizes in words."""

from __future__ import annotations

from dataclasses import dataclass

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class UploadLimits:
    """How much of an upload is read. Sizes in bytes; a zip counts as sent and again unpacked."""

    upload_bytes: int = 10 * MIB
    file_bytes: int = MIB // 2
    """One Python text, or the code of one notebook."""
    notebook_bytes: int = 10 * MIB
    """One notebook as saved, with its outputs."""
    total_bytes: int = 20 * MIB
    """All Python files and notebooks of one upload, unpacked."""
    text_bytes: int = 2 * MIB
    """All Python files of one upload; the syntax tree of this much can take seconds and 200 MiB."""
    files: int = 100
    entries: int = 5000
    """Entries of an archive, or of a folder, whatever they are."""
    depth: int = 10
    name_length: int = 120
    ratio: int = 200
    """Unpacked size over packed size of one file of more than 64 KiB; real notebooks stay far below."""


DEFAULT_LIMITS = UploadLimits()


def size(count: int) -> str:
    """A number of bytes for people.

    >>> size(512), size(524288), size(10485760)
    ('512 bytes', '512 KiB', '10 MiB')
    """
    if count < 1024:  # noqa: PLR2004 - the definition of a KiB
        return f"{count} bytes"
    return f"{count / 1024:.0f} KiB" if count < MIB else f"{count / MIB:.3g} MiB"
