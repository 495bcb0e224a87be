"""Bytes of a source file to text: UTF-8 as it should be, and what editors really write.

Only codecs that spell ASCII as ASCII are honoured, so what staff read is what runs: a source that asks for
`rot13` or `unicode_escape` is read as UTF-8 and says so.
"""

from __future__ import annotations

import codecs
import encodings
import re
from dataclasses import dataclass
from encodings.aliases import aliases

from grader.content.codes import NoticeCode, Refusal, refused
from grader.domain.cells import describe_line
from grader.domain.submission import Notice
from grader.domain.text import one_line

_BOMS = (  # the longer first: the mark of UTF-32 begins with that of UTF-16
    (codecs.BOM_UTF8, "utf_8"),
    (codecs.BOM_UTF32_LE, "utf_32_le"),
    (codecs.BOM_UTF32_BE, "utf_32_be"),
    (codecs.BOM_UTF16_LE, "utf_16_le"),
    (codecs.BOM_UTF16_BE, "utf_16_be"),
)

_PEP_263 = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK_OR_COMMENT = re.compile(rb"[ \t\f]*(#.*)?")

_EUROPEAN = {"ascii", "utf_8", "latin_1", "iso8859_2", "iso8859_5", "iso8859_7", "iso8859_9", "iso8859_15"}
_WINDOWS = {
    "cp1250",
    "cp1251",
    "cp1252",
    "cp1253",
    "cp1254",
    "cp1257",
    "cp437",
    "cp850",
    "cp866",
    "mac_roman",
}
_EASTERN = {"koi8_r", "koi8_u", "gb2312", "gbk", "gb18030", "big5", "euc_jp", "cp932", "euc_kr", "cp949"}
_SAFE_CODECS = frozenset(_EUROPEAN | _WINDOWS | _EASTERN)
"""Text codecs in which every ASCII byte means itself, so that no code can hide behind them."""

_FALLBACK = "cp1252"
_CODEC_TITLE = {"utf_16_le": "UTF-16", "utf_16_be": "UTF-16", "utf_32_le": "UTF-32", "utf_32_be": "UTF-32"}

_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")

_SAVE_AS_UTF8 = "Save it as UTF-8 and upload it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    r"""Text with newlines only (``\n``), no byte order mark and no NUL; encodable as UTF-8."""

    text: str
    notices: tuple[Notice, ...] = ()


def decode_source(data: bytes, *, name: str) -> Decoded:
    """Decode one source file; UploadRefused if it is not text."""
    text, notices = _decode(data, name)
    text = normalise_newlines(text).lstrip("\ufeff")
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise refused(
            Refusal.NOT_TEXT,
            name,
            f"line {line} holds a NUL character, which Python cannot read.",
            _SAVE_AS_UTF8,
        )
    return Decoded(text=text, notices=(*notices, *direction_notices(text, name)))


def normalise_newlines(text: str) -> str:
    r"""Windows and old Macintosh line ends as ``\n``, the way Python itself reads them."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decode(data: bytes, name: str) -> tuple[str, tuple[Notice, ...]]:
    for mark, codec in _BOMS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], codec, name)
    if utf16 := _utf16_without_mark(data):
        return _decode_as(data, utf16, name)
    declared = _declared_codec(data)
    if declared is None:
        return _utf8_or_fallback(data, name)
    known = _safe_codec(declared)
    if known is not None:
        try:
            return data.decode(known), ()
        except UnicodeDecodeError:
            pass
    why = "the file is not written in it" if known else "it is not one of the encodings read here"
    text, notices = _utf8_or_fallback(data, name)
    return text, (_coding_notice(declared, name, why), *notices)


def _decode_as(data: bytes, codec: str, name: str) -> tuple[str, tuple[Notice, ...]]:
    """Decode what a byte order mark or the pattern of NUL bytes announced; no other reading makes sense."""
    title = _CODEC_TITLE.get(codec, "UTF-8")
    try:
        text = data.decode(codec)
    except UnicodeDecodeError as error:
        raise refused(Refusal.NOT_TEXT, name, f"is damaged {title} text.", _SAVE_AS_UTF8) from error
    return text, () if title == "UTF-8" else (_encoding_notice(title, name),)


def _utf8_or_fallback(data: bytes, name: str) -> tuple[str, tuple[Notice, ...]]:
    try:
        return data.decode("utf-8"), ()
    except UnicodeDecodeError:
        pass
    if _BINARY.search(data):
        raise refused(Refusal.NOT_TEXT, name, "is not text.", "Upload the Python source itself.")
    try:
        return data.decode(_FALLBACK), (_encoding_notice("Windows-1252", name),)
    except UnicodeDecodeError as error:
        raise refused(
            Refusal.NOT_TEXT,
            name,
            "is text in an encoding that is neither UTF-8, UTF-16 nor Windows-1252.",
            _SAVE_AS_UTF8,
        ) from error


def _utf16_without_mark(data: bytes) -> str | None:
    """UTF-16 by its NULs: source is mostly ASCII, so they stand in every second place and nowhere else."""
    half = len(data) // 2
    even, odd = data[0::2].count(0), data[1::2].count(0)
    if odd > half * 0.6 and even == 0:
        return "utf_16_le"
    if even > half * 0.6 and odd == 0:
        return "utf_16_be"
    return None


def _declared_codec(data: bytes) -> str | None:
    """The name in a PEP 263 coding line: the first line, or the second after a comment."""
    for line in re.split(rb"\r\n|\r|\n", data[:2000])[:2]:
        if match := _PEP_263.match(line):
            return match.group(1).decode("ascii", "replace")
        if not _BLANK_OR_COMMENT.fullmatch(line):
            return None
    return None


def _safe_codec(declared: str) -> str | None:
    """The codec of that name if it is one of ours; the name is never handed to the codec registry."""
    plain = encodings.normalize_encoding(declared).lower()
    plain = {"utf_8_sig": "utf_8", "iso_8859_1": "latin_1"}.get(plain, plain)
    codec = aliases.get(plain, plain)
    return codec if codec in _SAFE_CODECS else None


def _encoding_notice(title: str, name: str) -> Notice:
    message = (
        f"{one_line(name, 120)} was read as {title}. Save it as UTF-8, so that no character is mistaken."
    )
    return Notice(code=NoticeCode.ENCODING, message=message)


def _coding_notice(declared: str, name: str, why: str) -> Notice:
    asked = one_line(declared, 40)
    message = f"The coding line of {one_line(name, 120)} asks for {asked!r}, but {why}; it is ignored."
    return Notice(code=NoticeCode.CODING_IGNORED, message=message, line=1)


def direction_notices(text: str, name: str) -> tuple[Notice, ...]:
    """Characters that change the reading direction can show a line in another order than it runs."""
    match = _DIRECTION_CONTROLS.search(text)
    if not match:
        return ()
    line = text.count("\n", 0, match.start()) + 1
    message = (
        f"{describe_line(name, text, line)} of {one_line(name, 120)} holds an invisible character that "
        "changes the reading direction. Reports show it as an escape; delete it unless a text needs it."
    )
    return (Notice(code=NoticeCode.HIDDEN_CHARACTERS, message=message, line=line),)
