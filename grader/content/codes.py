"""The closed sets of what can be said about reading an upload."""

from __future__ import annotations

from enum import StrEnum

from grader.domain.errors import UploadRefused
from grader.domain.text import one_line


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


def refused(code: Refusal, name: str, problem: str, remedy: str) -> UploadRefused:
    """The error for an upload named by a stranger: the name is made printable, and kept short."""
    return UploadRefused(code.value, one_line(name, 120) or "the upload", problem, remedy)
