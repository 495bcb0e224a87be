"""What a student hands in, read safely: one Python file, a notebook, a zip, a folder, or several files.

Content decides what an upload is, not its name. Everything happens in memory; nothing is unpacked, imported
or run. Whatever the bytes are, the outcome is a `SubmittedFiles`, or an `UploadRefused` that says how to mend
it.

Helper modules are kept beside the main one under the names they can be imported by. A name that belongs to
the standard library or to an installed package (`jax.py`, `json.py`) is kept too, so that staff see all that
was sent, with a notice that `import` will not find it: the real package always wins.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.content.archives import is_zip, unpack
from grader.content.assembly import assemble
from grader.content.codes import NoticeCode, Refusal, refused
from grader.content.decoding import decode_source
from grader.content.folders import is_folder, read_file, read_folder
from grader.content.limits import DEFAULT_LIMITS, UploadLimits, size
from grader.content.names import PYTHON_SUFFIX, Kind, base_name, kind_of
from grader.content.notebooks import is_json, looks_like_notebook
from grader.content.selection import Wanted
from grader.content.signatures import foreign_kind
from grader.content.sources import RawFile, RawFiles
from grader.content.syntax import parses
from grader.domain.cells import NOTEBOOK_SUFFIX
from grader.domain.submission import Notice, SubmittedFiles
from grader.domain.text import one_line

__all__ = ["DEFAULT_LIMITS", "UploadLimits", "read_paths", "read_upload", "read_uploads"]

_ZIP_SUFFIX = ".zip"


def read_upload(
    name: str,
    data: bytes,
    *,
    entry: str = "submission.py",
    functions: Sequence[str] = (),
    limits: UploadLimits = DEFAULT_LIMITS,
) -> SubmittedFiles:
    """Read one uploaded file.

    `functions` are those the assignment asks for; they help to find the main module among several files.
    """
    wanted = Wanted(entry=entry, functions=tuple(functions))
    name = base_name(name, limits=limits)
    if len(data) > limits.upload_bytes:
        problem = f"has {size(len(data))}; at most {size(limits.upload_bytes)} are read."
        raise refused(Refusal.TOO_LARGE, name, problem, "Send only your own Python files.")
    if not data.strip():
        raise refused(Refusal.EMPTY, name, "is empty.", "Upload the file that defines your functions.")
    if is_zip(data):
        raw = unpack(data, name=name, limits=limits)
        return assemble(raw, upload=name, wanted=wanted, limits=limits)
    file, notices = _single(name, data)
    files = assemble(RawFiles(files=(file,)), upload=file.name, wanted=wanted, limits=limits)
    return SubmittedFiles(entry=files.entry, files=files.files, notices=(*notices, *files.notices))


def read_uploads(
    uploads: Sequence[tuple[str, bytes]],
    *,
    entry: str = "submission.py",
    functions: Sequence[str] = (),
    limits: UploadLimits = DEFAULT_LIMITS,
) -> SubmittedFiles:
    """Read one uploaded file, or several loose ones as if they lay in one folder: names and bytes."""
    if len(uploads) == 1:
        [(name, data)] = uploads
        return read_upload(name, data, entry=entry, functions=functions, limits=limits)
    wanted = Wanted(entry=entry, functions=tuple(functions))
    if len(uploads) > limits.files:
        problem = f"{len(uploads)} files were sent; at most {limits.files} are read."
        raise refused(Refusal.TOO_MANY_FILES, "the upload", problem, "Send only your own files.")
    if sum(len(data) for _, data in uploads) > limits.upload_bytes:
        problem = f"the files have more than {size(limits.upload_bytes)} together."
        raise refused(Refusal.TOO_LARGE, "the upload", problem, "Send only your own Python files.")
    files: list[RawFile] = []
    left_out: list[str] = []
    for raw_name, data in uploads:
        name = base_name(raw_name, limits=limits)
        kind = kind_of(name)
        if is_zip(data) or name.lower().endswith(_ZIP_SUFFIX):
            raise refused(
                Refusal.SEVERAL_UPLOADS, name, "came with other files.", "Send one zip, or loose files."
            )
        if kind in (Kind.PYTHON, Kind.NOTEBOOK):
            files.append(RawFile(name=name, data=data, kind=kind))
        else:
            left_out.append(name)
    raw = RawFiles(files=tuple(files), left_out=tuple(left_out))
    return assemble(raw, upload="the upload", wanted=wanted, limits=limits)


def read_paths(
    paths: Sequence[Path],
    *,
    entry: str = "submission.py",
    functions: Sequence[str] = (),
    limits: UploadLimits = DEFAULT_LIMITS,
) -> SubmittedFiles:
    """Read files of this machine the way an upload of them would be read: files, one zip, or one folder.

    NotFound for a path that does not exist.
    """
    if len(paths) == 1 and is_folder(paths[0]):
        raw = read_folder(paths[0], limits=limits)
        upload = paths[0].resolve().name or "the folder"
        return assemble(
            raw, upload=upload, wanted=Wanted(entry=entry, functions=tuple(functions)), limits=limits
        )
    uploads = [(path.name, read_file(path, limits=limits)) for path in paths]
    return read_uploads(uploads, entry=entry, functions=functions, limits=limits)


def _single(name: str, data: bytes) -> tuple[RawFile, tuple[Notice, ...]]:
    """What one file sent by itself is, by its content, under a name that says so."""
    if foreign := foreign_kind(data):
        raise refused(foreign.refusal, name, f"is {foreign.title}, not Python.", foreign.remedy)
    if name.lower().endswith(_ZIP_SUFFIX):
        problem = "is not a zip archive, whatever its name says."
        raise refused(Refusal.NOT_A_ZIP, name, problem, "Zip your files anew, or upload the .py file itself.")
    named = kind_of(name)
    text = decode_source(data, name=name).text
    if looks_like_notebook(text):
        kind = Kind.NOTEBOOK
    elif named is Kind.NOTEBOOK and (text.lstrip().startswith("{") or not parses(text)):
        what = "it has no cells" if is_json(text) else "its JSON cannot be read"
        problem = f"is not a notebook: {what}."
        raise refused(
            Refusal.CORRUPT_NOTEBOOK, name, problem, "Open it in Jupyter, save it, and upload it again."
        )
    elif named is Kind.PYTHON or parses(text):
        kind = Kind.PYTHON
    else:
        raise refused(
            Refusal.NOT_PYTHON, name, "is not Python code.", "Upload a .py file, a notebook or a zip."
        )
    if kind is named:
        return RawFile(name=name, data=data, kind=kind), ()
    renamed = _renamed(name, NOTEBOOK_SUFFIX if kind is Kind.NOTEBOOK else PYTHON_SUFFIX)
    what = "a notebook" if kind is Kind.NOTEBOOK else "Python code"
    notice = Notice(code=NoticeCode.KIND, message=f"{one_line(name, 120)} holds {what} and was read as that.")
    return RawFile(name=renamed, data=data, kind=kind), (notice,)


def _renamed(name: str, suffix: str) -> str:
    """`hw.txt` and `hw.py.txt` as `hw.py`."""
    stem = name
    for known in (".txt", PYTHON_SUFFIX, NOTEBOOK_SUFFIX, ".json"):
        if stem.lower().endswith(known) and len(stem) > len(known):
            stem = stem[: -len(known)]
    return f"{stem}{suffix}"
