"""Contents by their hash: stored once, however often they are handed in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.orm import Session

from grader.db import models
from grader.db.statements import insert_if_absent


def store_files(session: Session, contents: Iterable[bytes], *, now: datetime) -> None:
    """Store contents that are not stored yet."""
    rows = {
        sha256_of(data): {"sha256": sha256_of(data), "size": len(data), "data": data, "created_at": now}
        for data in contents
    }
    # In one order everywhere: two transactions that store the same files must not wait for each other.
    insert_if_absent(session, models.StoredFile, [rows[key] for key in sorted(rows)])


def sha256_of(data: bytes) -> str:
    """SHA-256 in lower-case hexadecimal digits, as ``sha256sum`` prints it."""
    return hashlib.sha256(data).hexdigest()
