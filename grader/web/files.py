"""Files of a form, read whole but never more than is allowed."""

from __future__ import annotations

from fastapi import UploadFile

from grader.content.limits import size
from grader.domain.errors import InvalidInput


def bytes_of(file: UploadFile | None, *, most: int, field: str) -> bytes:
    """The bytes of a file; InvalidInput names `field` where none was chosen, or it is too large."""
    data = b"" if file is None else file.file.read(most + 1)
    if len(data) > most:
        raise InvalidInput(field, f"it is larger than {size(most)}.")
    if not data:
        raise InvalidInput(field, "no file was chosen, or it is empty.", "Choose one.")
    return data


def optional_bytes(file: UploadFile | None, *, most: int, field: str) -> bytes | None:
    """As `bytes_of`; None where no file was chosen: a picker that was left empty sends one without a name."""
    if file is None or not (file.filename or file.size):
        return None
    return bytes_of(file, most=most, field=field)
