"""Zip archives, unpacked in memory and never onto a disk; only Python files and notebooks are opened."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator

from grader.content.codes import Refusal, refused
from grader.content.limits import UploadLimits, size
from grader.content.names import Kind, kind_of, relative_name
from grader.content.sources import RawFile, RawFiles
from grader.domain.errors import UploadRefused
from grader.domain.text import one_line

_ZIP_STARTS = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
DIRECTORY_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800
_READABLE_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The others give no control over how much one read unpacks."""

_CHUNK = 64 * 1024
_PACKING_OVERHEAD = 1024
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    IndexError,
    NotImplementedError,
    RuntimeError,
)
"""What the standard library raises on damaged archives; found by feeding it thousands of them."""


def is_zip(data: bytes) -> bool:
    """Whether bytes begin as a zip archive does. Zip data behind other text is not looked for, on purpose."""
    return data.startswith(_ZIP_STARTS)


def unpack(data: bytes, *, name: str, limits: UploadLimits) -> RawFiles:
    """Read a zip archive within limits; UploadRefused if anything about it is unsafe or damaged."""
    # Counted before the directory is read: its entries cost far more memory than their bytes.
    if data.count(DIRECTORY_ENTRY) > limits.entries:
        raise too_many_entries(name, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return _unpack(archive, name, limits)
    except UploadRefused:
        raise
    except DAMAGE as error:
        raise damaged(name) from error


def _unpack(archive: zipfile.ZipFile, name: str, limits: UploadLimits) -> RawFiles:
    files: list[RawFile] = []
    left_out: list[str] = []
    budget = limits.total_bytes
    for info, member, kind in members(archive, name):
        if kind not in (Kind.PYTHON, Kind.NOTEBOOK):
            left_out.append(member)
            continue
        if len(files) == limits.files:
            problem = f"it holds more than {limits.files} Python files."
            raise refused(Refusal.TOO_MANY_FILES, name, problem, "Send only your own files.")
        content = read_member(archive, info, name, limits=limits, budget=budget)
        budget -= len(content)
        files.append(RawFile(name=member, data=content, kind=kind))
    return RawFiles(files=tuple(files), left_out=tuple(left_out))


def members(archive: zipfile.ZipFile, name: str) -> Iterator[tuple[zipfile.ZipInfo, str, Kind]]:
    """Files of an archive with clean names. Links and devices are refused even if nobody would open them."""
    for info in archive.infolist():
        member = relative_name(_raw_name(info), upload=name)
        mode = stat.S_IFMT(info.external_attr >> 16)
        if stat.S_ISLNK(mode):
            problem = f"it holds a symbolic link, {one_line(member, 60)!r}."
            raise refused(Refusal.LINK, name, problem, "Put the file itself into the zip.")
        if mode not in (0, stat.S_IFREG, stat.S_IFDIR):
            problem = f"{one_line(member, 60)!r} in it is not a regular file."
            raise refused(Refusal.SPECIAL_FILE, name, problem, "Put only plain files into the zip.")
        if info.compress_size > info.file_size + info.file_size // 100 + _PACKING_OVERHEAD:
            raise damaged(name)  # nothing packs to so much more than itself: the directory lies about sizes
        if member and not info.is_dir():
            yield info, member, kind_of(member)


def _raw_name(info: zipfile.ZipInfo) -> str:
    """The name as written, which for archives that do not say so is UTF-8 more often than DOS's code page."""
    if info.flag_bits & _UTF8_NAME:
        return info.orig_filename
    try:
        return info.orig_filename.encode("cp437").decode("utf-8")
    except UnicodeError:
        return info.orig_filename


def read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str, *, limits: UploadLimits, budget: int
) -> bytes:
    """Unpack one member, counting what comes out; what the archive says about sizes is only a first hint."""
    shown = one_line(info.filename, 60)
    if info.flag_bits & _ENCRYPTED:
        raise refused(
            Refusal.ENCRYPTED, name, f"{shown!r} in it is encrypted.", "Make the zip without a password."
        )
    if info.compress_type not in _READABLE_METHODS:
        problem = f"{shown!r} in it is compressed in an unusual way."
        raise refused(
            Refusal.CORRUPT_ARCHIVE, name, problem, "Make a plain zip, with the tool of your system."
        )
    if info.file_size > _CHUNK and info.file_size > limits.ratio * max(info.compress_size, 1):
        problem = f"{shown!r} in it unpacks to {size(info.file_size)}, far more than code does."
        raise refused(Refusal.BOMB, name, problem, "Send only your own files.")
    most = limits.notebook_bytes if kind_of(info.filename) is Kind.NOTEBOOK else limits.file_bytes
    chunks: list[bytes] = []
    unpacked = 0
    with archive.open(info) as member:
        while chunk := member.read(_CHUNK):
            unpacked += len(chunk)
            if unpacked > most:
                problem = f"{shown!r} in it is larger than {size(most)}."
                raise refused(Refusal.TOO_LARGE, name, problem, "Move data out of your code.")
            if unpacked > budget:
                problem = f"it unpacks to more than {size(limits.total_bytes)}."
                raise refused(Refusal.TOO_LARGE, name, problem, "Send only your own files.")
            chunks.append(chunk)
    return b"".join(chunks)


def damaged(name: str) -> UploadRefused:
    """The refusal of an archive that cannot be read to its end."""
    problem = "is a damaged or incomplete zip archive."
    return refused(Refusal.CORRUPT_ARCHIVE, name, problem, "Make the zip anew and upload it again.")


def too_many_entries(name: str, limits: UploadLimits) -> UploadRefused:
    """The refusal of an archive with more entries than are looked at."""
    problem = f"it holds more than {limits.entries:,} entries."
    return refused(Refusal.TOO_MANY_FILES, name, problem, "Zip only the folder with your own files.")
