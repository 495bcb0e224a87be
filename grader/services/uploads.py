"""A student's upload: kept exactly as it came, read anew whenever it is graded."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.orm import Session

from grader.content.uploads import read_upload
from grader.db import models
from grader.domain.submission import SubmittedFiles
from grader.services.files import sha256_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One file as it was sent."""

    name: str
    data: bytes


def content_hash_of(uploads: Sequence[Upload]) -> str:
    """The hash on the receipt; see `submitting.Receipt` for how to check it with ``sha256sum``."""
    if len(uploads) == 1:
        return sha256_of(uploads[0].data)
    ordered = sorted(uploads, key=lambda upload: upload.name)
    listing = "".join(f"{sha256_of(upload.data)}  {upload.name}\n" for upload in ordered)
    return sha256_of(listing.encode("utf-8", "surrogatepass"))


def read_uploads(uploads: Sequence[Upload], *, entry: str, functions: Sequence[str]) -> SubmittedFiles:
    """The readable part of an upload; UploadRefused says why there is none.

    `entry` and `functions` are the assignment's: what the main module is called, and what it should define.
    """
    if len(uploads) == 1:
        return read_upload(uploads[0].name, uploads[0].data, entry=entry, functions=functions)
    return read_upload("upload.zip", _as_archive(uploads), entry=entry, functions=functions)


def load_uploads(session: Session, submission_id: UUID) -> tuple[Upload, ...]:
    """The files of a submission, in the order in which they were sent."""
    rows = session.execute(
        select(models.SubmissionFile.name, models.StoredFile.data)
        .join(models.StoredFile, models.StoredFile.sha256 == models.SubmissionFile.sha256)
        .where(models.SubmissionFile.submission_id == submission_id)
        .order_by(models.SubmissionFile.position)
    )
    return tuple(Upload(name=name, data=data) for name, data in rows)


def _as_archive(uploads: Sequence[Upload]) -> bytes:
    """Several loose files are read as the archive they could have come in: one set of rules for both."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for upload in uploads:
            archive.writestr(zipfile.ZipInfo(upload.name), upload.data)
    return buffer.getvalue()
