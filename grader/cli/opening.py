"""The assignment that a command names: a folder, a slug, or a zip that was downloaded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.content.assignments import find_assignment, materialise, read_assignment
from grader.content.folder_archives import FOLDER_LIMITS, unpack_folder
from grader.content.student_bundles import about_bundle
from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import Assignment
from grader.domain.student_bundle import StudentBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """An assignment, and what a student's bundle says of itself; None where it is whole."""

    assignment: Assignment
    bundle: StudentBundle | None


@contextmanager
def opened(named: str) -> Iterator[Opened]:
    """The assignment of that slug, in that folder or in that zip, which is laid out for as long as it takes.

    NotFound, AssignmentInvalid or UploadRefused say what is wrong with it.
    """
    path = Path(named).expanduser()
    if path.is_file() and path.suffix.lower() == ".zip":
        with tempfile.TemporaryDirectory(prefix="grader-assignment-") as scratch:
            files = unpack_folder(_bytes(path), name=path.name)
            yield _read(materialise(files, Path(scratch) / "assignment"))
    else:
        yield _read(find_assignment(named))


def _read(root: Path) -> Opened:
    return Opened(assignment=read_assignment(root), bundle=about_bundle(root))


def _bytes(path: Path) -> bytes:
    """No more than a folder's zip may have, and a byte by which a larger one is known."""
    try:
        with path.open("rb") as file:
            return file.read(FOLDER_LIMITS.upload_bytes + 1)
    except OSError as error:
        raise AssignmentInvalid(path, f"cannot be read: {error.strerror}.") from error
