"""Archives: tables as JSON lines, files by their hash, and a manifest that names every one with its SHA-256.

They are written piece by piece. What is in memory is some rows, or one file, and a few hundred bytes for each
entry, however large the course is. Nothing by which somebody could log in is ever in one.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import IO, Any, Self

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from grader.db import models
from grader.db.base import Base
from grader.domain.results import JsonValue

FORMAT = 1
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""Every entry's time in the zip: equal contents make equal archives."""

ROWS_AT_ONCE = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One file of JSON lines: the rows that a query gives, without the columns left out.

    So many rows are in memory `at_once`: one of those that hold whole results or files.
    """

    name: str
    query: Select[Any]
    without: frozenset[str] = frozenset()
    at_once: int = ROWS_AT_ONCE


class ArchiveWriter:
    """Writes a zip entry by entry, and its manifest last: at the end of the `with` block."""

    def __init__(self, out: IO[bytes], *, about: Mapping[str, JsonValue]) -> None:
        self._zip = zipfile.ZipFile(out, "w")
        self._about, self._entries = about, dict[str, dict[str, JsonValue]]()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            manifest = {"format": FORMAT, **self._about, "entries": dict(self._entries)}
            self.add_json("manifest.json", manifest)
            self._zip.close()
            return
        with suppress(OSError):  # what went wrong is told, not that its end could not be written either
            self._zip.close()

    def add(self, name: str, data: bytes) -> None:
        """One entry; the manifest will hold its hash."""
        self._add(name, [data])

    def add_json(self, name: str, value: JsonValue) -> None:
        """One entry holding one JSON value."""
        self.add(name, json.dumps(value, indent=2, allow_nan=False).encode() + b"\n")

    def add_rows(self, session: Session, part: Part) -> None:
        """One entry holding a row per line."""
        lines = (json.dumps(row, allow_nan=False).encode() + b"\n" for row in _rows(session, part))
        self._add(f"{part.name}.jsonl", lines)

    def add_files(self, session: Session, hashes: Select[str]) -> None:
        """The stored contents of these hashes, each as ``files/<sha256>``."""
        query = (
            select(models.StoredFile.sha256, models.StoredFile.data)
            .where(models.StoredFile.sha256.in_(hashes))
            .order_by(models.StoredFile.sha256)
        )
        for sha256, data in session.execute(query.execution_options(yield_per=1)):
            self.add(f"files/{sha256}", data)

    def _add(self, name: str, pieces: Iterable[bytes]) -> None:
        info = zipfile.ZipInfo(name, date_time=_MOMENT)
        info.compress_type = zipfile.ZIP_DEFLATED
        info.external_attr = 0o600 << 16
        digest, size = hashlib.sha256(), 0
        # Its size is not known yet: it may turn out to be one that only this form of zip can hold.
        with self._zip.open(info, "w", force_zip64=True) as entry:
            for piece in pieces:
                entry.write(piece)
                digest.update(piece)
                size += len(piece)
        self._entries[name] = {"sha256": digest.hexdigest(), "bytes": size}


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
    for row in session.scalars(part.query.execution_options(yield_per=part.at_once)):
        yield _row(row, part.without)


def _row(row: Base, without: frozenset[str]) -> dict[str, JsonValue]:
    names = [column.key for column in row.__table__.columns if column.key not in without]
    return {name: plain(getattr(row, name)) for name in names}
