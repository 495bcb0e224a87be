"""The closed sets of what can be said about reading an upload, and the limits it is read under."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grader.domain.errors import UploadRefused
from grader.domain.text import one_line

MIB = 1024 * 1024


class Refusal(StrEnum):
    """Why an upload is not accepted; the `code` of UploadRefused."""

    EMPTY = "upload.empty"
    TOO_LARGE = "upload.too_large"
    TOO_MANY_FILES = "upload.too_many_files"
    TOO_DEEP = "upload.too_deep"
    BOMB = "upload.bomb"
    BAD_NAME = "upload.bad_name"
    UNSAFE_PATH = "upload.unsafe_path"
    LINK = "upload.link"
    SPECIAL_FILE = "upload.special_file"
    DUPLICATE = "upload.duplicate"
    ENCRYPTED = "upload.encrypted"
    CORRUPT_ARCHIVE = "upload.corrupt_archive"
    NOT_A_ZIP = "upload.not_a_zip"
    OTHER_ARCHIVE = "upload.other_archive"
    SEVERAL_UPLOADS = "upload.several_uploads"
    NOT_PYTHON = "upload.not_python"
    NO_PYTHON = "upload.no_python"
    NO_MAIN = "upload.no_main"
    NOT_TEXT = "upload.not_text"
    CORRUPT_NOTEBOOK = "upload.corrupt_notebook"
    NOTEBOOK_LANGUAGE = "upload.notebook_language"
    NO_CODE = "upload.no_code"
    UNREADABLE = "upload.unreadable"


class NoticeCode(StrEnum):
    """What an author should know about how an upload was read, or will find out when it is loaded."""

    ENCODING = "upload.encoding"
    CODING_IGNORED = "upload.coding_ignored"
    HIDDEN_CHARACTERS = "upload.hidden_characters"
    KIND = "upload.kind_by_content"
    MAIN_CHOSEN = "upload.main_chosen"
    LEFT_OUT = "upload.left_out"
    SHADOWS = "upload.shadows_package"
    NEVER_RUN = "upload.never_run"
    NOT_IMPORTABLE = "upload.not_importable"
    MAGIC = "upload.magic"
    OUT_OF_ORDER = "upload.out_of_order"
    REPLACED_CHARACTERS = "upload.replaced_characters"
    MORE = "upload.more_notices"
    SYNTAX = "precheck.syntax"
    MISSING_FUNCTION = "precheck.missing_function"
    PARAMETERS = "precheck.parameters"
    STATIC_PARAMETER = "precheck.static_parameter"
    DEFINED_TWICE = "precheck.defined_twice"


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


def refused(code: Refusal, name: str, problem: str, remedy: str) -> UploadRefused:
    """The error for an upload named by a stranger: the name is made printable, and kept short."""
    return UploadRefused(code.value, one_line(name, 120) or "the upload", problem, remedy)


def size(count: int) -> str:
    """A number of bytes for people.

    >>> size(512), size(524288), size(10485760)
    ('512 bytes', '512 KiB', '10 MiB')
    """
    if count < 1024:  # noqa: PLR2004 - the definition of a KiB
        return f"{count} bytes"
    return f"{count / 1024:.0f} KiB" if count < MIB else f"{count / MIB:.3g} MiB"
