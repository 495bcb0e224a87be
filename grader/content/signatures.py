"""Files that are plainly something else, told by their first bytes, with advice that fits the mistake."""

from __future__ import annotations

from dataclasses import dataclass

from grader.content.codes import Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKind:
    """A kind of file that is no submission: its title, with an article, and what to do instead."""

    title: str
    remedy: str
    refusal: Refusal = Refusal.NOT_PYTHON


_REPACK = "Send a .zip, or the .py file itself."
_EXPORT = "Upload the .py file or the notebook itself."
_DOWNLOAD_RAW = "Download the file itself (“Raw” or “Download”), not the page that shows it."
_PLAIN_TEXT = "Save it as plain text, from a code editor."


def _archive(title: str) -> ForeignKind:
    return ForeignKind(title=title, remedy=_REPACK, refusal=Refusal.OTHER_ARCHIVE)


_BY_START: tuple[tuple[bytes, ForeignKind], ...] = (
    (b"\x1f\x8b", _archive("a gzip archive")),
    (b"BZh", _archive("a bzip2 archive")),
    (b"\xfd7zXZ\x00", _archive("an xz archive")),
    (b"7z\xbc\xaf\x27\x1c", _archive("a 7-Zip archive")),
    (b"Rar!\x1a\x07", _archive("a RAR archive")),
    (b"%PDF-", ForeignKind(title="a PDF document", remedy=_EXPORT)),
    (b"\x89PNG\r\n", ForeignKind(title="an image", remedy=_EXPORT)),
    (b"\xff\xd8\xff", ForeignKind(title="an image", remedy=_EXPORT)),
    (b"\x7fELF", ForeignKind(title="a compiled program", remedy="Upload the Python source.")),
    (b"\xd0\xcf\x11\xe0", ForeignKind(title="an office document", remedy=_PLAIN_TEXT)),
    (b"{\\rtf", ForeignKind(title="a rich-text document", remedy=_PLAIN_TEXT)),
)
_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_HTML_STARTS = (b"<!doctype html", b"<html")


def foreign_kind(data: bytes) -> ForeignKind | None:
    """What a file is if it is plainly neither Python nor a notebook; None where that cannot be said."""
    for start, kind in _BY_START:
        if data.startswith(start):
            return kind
    if data[_TAR_MARK_AT : _TAR_MARK_AT + len(_TAR_MARK)] == _TAR_MARK:
        return _archive("a tar archive")
    if data[:200].lstrip(b"\xef\xbb\xbf \t\r\n").lower().startswith(_HTML_STARTS):
        return ForeignKind(title="a web page", remedy=_DOWNLOAD_RAW)
    return None
