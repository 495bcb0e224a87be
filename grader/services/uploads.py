"""A student's upload: kept exactly as it came, read anew whenever it is graded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.content.uploads import read_uploads
from grader.db import models
from grader.domain.submission import SubmittedFiles
from grader.domain.text import printable
from grader.services.files import sha256_of

_LONGEST_NAME = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file as it was sent."""

    name: str
    data: bytes

    def __post_init__(self) -> None:
        # Names are strangers' text, and PostgreSQL stores no NUL. Made plain here, once, so that a submission
        # is read under the same names whenever it is graded.
        object.__setattr__(self, "name", printable(self.name, limit=_LONGEST_NAME))


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedFiles:
    """What an assignment's main module is called, and the functions that it should define."""

    entry: str
    functions: tuple[str, ...]


def wanted_by(manifest: Mapping[str, Any]) -> WantedFiles:
    """What a version's stored manifest asks for."""
    return WantedFiles(
        entry=manifest["entry"], functions=tuple(function["name"] for function in manifest["functions"])
    )


def content_hash_of(uploads: Sequence[Upload]) -> str:
    """The hash on the receipt; see `submitting.Receipt` for how to check it with ``sha256sum``."""
    if len(uploads) == 1:
        return sha256_of(uploads[0].data)
    ordered = sorted(uploads, key=lambda upload: upload.name)
    listing = "".join(f"{sha256_of(upload.data)}  {upload.name}\n" for upload in ordered)
    return sha256_of(listing.encode("utf-8", "surrogatepass"))


def read(uploads: Sequence[Upload], *, entry: str, functions: Sequence[str]) -> SubmittedFiles:
    """The readable part of an upload; UploadRefused says why there is none.

    `entry` and `functions` are the assignment's: what the main module is called, and what it should define.
    """
    pairs = [(upload.name, upload.data) for upload in uploads]
    return read_uploads(pairs, entry=entry, functions=functions)


def load_uploads(session: Session, submission_id: UUID) -> tuple[Upload, ...]:
    """The files of a submission, in the order in which they were sent."""
    rows = session.execute(
        select(models.SubmissionFile.name, models.StoredFile.data)
        .join(models.StoredFile, models.StoredFile.sha256 == models.SubmissionFile.sha256)
        .where(models.SubmissionFile.submission_id == submission_id)
        .order_by(models.SubmissionFile.position)
    )
    return tuple(Upload(name=name, data=data) for name, data in rows)
