"""An assignment folder in a zip: every file of it, within limits, as names and bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable
from pathlib import PurePosixPath

from grader.content.archives import DAMAGE, DIRECTORY_ENTRY, damaged, is_zip, members, read_member
from grader.content.archives import too_many_entries as too_many
from grader.content.bundles import MOST_BYTES, BundleFile
from grader.content.codes import Refusal, refused
from grader.content.limits import MIB, UploadLimits, size
from grader.content.names import Kind, require_plain
from grader.domain.errors import UploadRefused

FOLDER_LIMITS = UploadLimits(
    upload_bytes=32 * MIB,
    file_bytes=16 * MIB,
    notebook_bytes=16 * MIB,
    total_bytes=MOST_BYTES,
    files=1000,
    entries=2000,
)
"""An instructor's folder holds data and more files than a student's upload."""

MANIFEST = "assignment.toml"


def unpack_folder(data: bytes, *, name: str, limits: UploadLimits = FOLDER_LIMITS) -> tuple[BundleFile, ...]:
    """The files of the folder in a zip, named relative to where its manifest lies.

    Zips hold the folder itself, or what is in it: both are taken. UploadRefused if the archive is unsafe or
    damaged, or holds no manifest.
    """
    if len(data) > limits.upload_bytes:
        raise refused(Refusal.TOO_LARGE, name, f"is larger than {size(limits.upload_bytes)}.", "")
    if not is_zip(data):
        raise refused(
            Refusal.CORRUPT_ARCHIVE, name, "is no zip.", "Zip the assignment's folder, and choose that file."
        )
    if data.count(DIRECTORY_ENTRY) > limits.entries:
        raise too_many(name, limits)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            files = _files(archive, name, limits)
    except UploadRefused:
        raise
    except DAMAGE as error:
        raise damaged(name) from error
    return _below_the_manifest(files, name)


def _files(archive: zipfile.ZipFile, name: str, limits: UploadLimits) -> dict[str, bytes]:
    files: dict[str, bytes] = {}
    budget = limits.total_bytes
    for info, member, kind in members(archive, name):
        if kind is Kind.LITTER:
            continue
        require_plain(member, upload=name, limits=limits)
        if len(files) == limits.files:
            raise too_many(name, limits)
        if member in files:
            raise refused(Refusal.BAD_NAME, name, f"it holds {member!r} twice.", "Make the zip anew.")
        files[member] = read_member(archive, info, name, limits=limits, budget=budget)
        budget -= len(files[member])
    _require_no_file_in_place_of_a_folder(files, name)
    return files


def _require_no_file_in_place_of_a_folder(files: Iterable[str], name: str) -> None:
    present = set(files)
    for member in present:
        for parent in PurePosixPath(member).parents:
            if str(parent) in present:
                problem = f"it holds {str(parent)!r} as a file and as a folder."
                raise refused(Refusal.BAD_NAME, name, problem, "Make the zip anew.")


def _below_the_manifest(files: dict[str, bytes], name: str) -> tuple[BundleFile, ...]:
    places = sorted(
        (path for path in map(PurePosixPath, files) if path.name == MANIFEST),
        key=lambda path: len(path.parts),
    )
    if not places:
        raise refused(Refusal.CORRUPT_ARCHIVE, name, f"holds no {MANIFEST}.", "Zip the folder that holds it.")
    root = places[0].parent
    return tuple(
        sorted(
            (PurePosixPath(member).relative_to(root).as_posix(), data)
            for member, data in files.items()
            if PurePosixPath(member).is_relative_to(root)
        )
    )
