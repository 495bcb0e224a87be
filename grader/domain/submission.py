"""What a student hands in, as the engine takes it: named source texts and notices about reading them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Something about an upload its author should know; never costs a point."""

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One Python text. `name` is a relative POSIX path such as ``helpers/steps.py``."""

    name: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedFiles:
    """The readable part of one upload: the main module, its helper modules, and notices."""

    entry: str
    files: tuple[SourceFile, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def content_hash(self) -> str:
        """SHA-256 (hex) over names and texts, independent of the order of the files."""
        digest = hashlib.sha256(self.entry.encode("utf-8", "surrogatepass"))
        for file in sorted(self.files, key=lambda file: file.name):
            for part in (file.name, file.text):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
        return digest.hexdigest()

    def text_of(self, name: str) -> str:
        """The text of one file; KeyError if there is none of that name."""
        for file in self.files:
            if file.name == name:
                return file.text
        raise KeyError(name)
