"""Bytes by their hash: the nodes share no disk, so every file lives here, once."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from grader.db.base import Base, hash_column


class StoredFile(Base):
    """One content, however many submissions and versions hold it. `size` is in bytes."""

    __tablename__ = "stored_file"

    sha256: Mapped[str] = mapped_column(hash_column(), primary_key=True)
    size: Mapped[int]
    data: Mapped[bytes]
    created_at: Mapped[datetime]
