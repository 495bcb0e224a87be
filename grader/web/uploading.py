"""Uploads as they come through the web: files of a form, a text pasted into it, or texts in JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import uuid4

from fastapi import Depends, File, Form, UploadFile

from grader.content.limits import DEFAULT_LIMITS, size
from grader.domain.errors import UploadRefused
from grader.services.uploads import Upload

KEY_PATTERN = r"^[!-~]{1,100}$"
"""An idempotency key: up to a hundred visible ASCII characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A filled-in form: files, or a text where none was chosen, and the key of this handing in."""

    files: Sequence[UploadFile]
    text: str
    key: str

    def uploads(self, *, entry: str) -> tuple[Upload, ...]:
        """What is handed in, a text under the name `entry`; UploadRefused for too many or too large files."""
        return sent_files(self.files) or pasted(self.text, name=entry)


def _sent(
    files: Annotated[list[UploadFile] | None, File()] = None,
    text: Annotated[str, Form()] = "",
    key: Annotated[str | None, Form(pattern=KEY_PATTERN)] = None,
) -> Sent:
    return Sent(files=files or (), text=text, key=key or new_key())


SentForm = Annotated[Sent, Depends(_sent)]
"""The form with which a page hands in."""


def new_key() -> str:
    """A key for one handing in: the same form sent twice hands in once."""
    return str(uuid4())


def sent_files(files: Sequence[UploadFile]) -> tuple[Upload, ...]:
    """The files of a form; a picker that was left empty sends one without a name, which is none.

    UploadRefused for too many, or too large ones, before they are held in memory.
    """
    named = [file for file in files if file.filename or file.size]
    if len(named) > DEFAULT_LIMITS.files:
        problem = f"{len(named)} files were sent; at most {DEFAULT_LIMITS.files} are read."
        raise UploadRefused(
            "upload.too_many_files", "the upload", problem, "Send only your own files, or one zip."
        )
    room = DEFAULT_LIMITS.upload_bytes
    found = []
    for file in named:
        data = file.file.read(room + 1)
        room -= len(data)
        if room < 0:
            problem = f"the upload has more than {size(DEFAULT_LIMITS.upload_bytes)}."
            raise UploadRefused(
                "upload.too_large", file.filename or "upload", problem, "Send only your own Python files."
            )
        found.append(Upload(name=file.filename or "submission.py", data=data))
    return tuple(found)


def pasted(text: str, *, name: str) -> tuple[Upload, ...]:
    """A text typed or pasted into a form. Forms end lines as Windows does; the author's editor may not."""
    if not text.strip():
        return ()
    return (typed(name, text.replace("\r\n", "\n")),)


def typed(name: str, text: str) -> Upload:
    """A text as a file. What UTF-8 cannot hold is kept all the same, and found to be no Python later."""
    return Upload(name=name, data=text.encode("utf-8", "surrogatepass"))
