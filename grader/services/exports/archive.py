"""Archives: tables as JSON lines, files by their hash, and a manifest that names every one with its SHA-256.

Nothing by which somebody could log in is ever in one.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import IO, Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.base import Base
from grader.domain.results import JsonValue

FORMAT = 1
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""Every entry's time in the zip: equal contents make equal archives."""

_FETCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of JSON lines: the rows that a query gives, without the columns left out."""

    name: str
    query: Select[Any]
    without: frozenset[str] = frozenset()


class ArchiveWriter:
    """Writes a zip entry by entry, and its manifest last."""

    def __init__(self, out: IO[bytes], *, about: Mapping[str, JsonValue]) -> None:
        self._zip = zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED)
        self._about, self._entries = about, dict[str, dict[str, JsonValue]]()

    def add(self, name: str, data: bytes) -> None:
        """One entry; the manifest will hold its hash."""
        info = zipfile.ZipInfo(name, date_time=_MOMENT)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        self._zip.writestr(info, data)
        self._entries[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}

    def add_json(self, name: str, value: JsonValue) -> None:
        """One entry holding one JSON value."""
        self.add(name, json.dumps(value, indent=2, allow_nan=False).encode() + b"\n")

    def add_rows(self, session: Session, part: Part) -> int:
        """One entry holding a row per line; returns how many."""
        lines = [json.dumps(row, allow_nan=False) for row in _rows(session, part)]
        self.add(f"{part.name}.jsonl", "".join(f"{line}\n" for line in lines).encode())
        return len(lines)

    def add_files(self, session: Session, hashes: Iterable[str]) -> None:
        """Stored contents, each as ``files/<sha256>``; one in memory at a time."""
        for sha256 in sorted(set(hashes)):
            data = session.scalar(select(models.StoredFile.data).where(models.StoredFile.sha256 == sha256))
            if data is not None:
                self.add(f"files/{sha256}", data)

    def close(self) -> None:
        """Write the manifest and end the archive."""
        manifest: dict[str, JsonValue] = {"format": FORMAT, **self._about, "entries": dict(self._entries)}
        info = zipfile.ZipInfo("manifest.json", date_time=_MOMENT)
        info.external_attr = 0o600 << 16
        self._zip.writestr(info, json.dumps(manifest, indent=2, allow_nan=False))
        self._zip.close()


def plain(value: object) -> JsonValue:
    """A value as JSON keeps it: times in UTC, points exact, members of closed sets as their words."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Enum):
        return plain(value.value)
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if isinstance(value, datetime) else str(value)


def _rows(session: Session, part: Part) -> Iterator[dict[str, JsonValue]]:
    for row in session.scalars(part.query.execution_options(yield_per=_FETCH)):
        yield _row(row, part.without)


def _row(row: Base, without: frozenset[str]) -> dict[str, JsonValue]:
    names = [column.key for column in row.__table__.columns if column.key not in without]
    return {name: plain(getattr(row, name)) for name in names}
