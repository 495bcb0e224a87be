"""Names of submitted files: labels, never paths, as nothing of an upload is ever written to a disk."""

from __future__ import annotations

import functools
import importlib.machinery
import keyword
import re
import sys
import sysconfig
import unicodedata
from enum import Enum, auto
from pathlib import PurePosixPath

from grader.content.codes import Refusal, refused
from grader.content.limits import UploadLimits
from grader.domain.text import has_hidden_characters

PYTHON_SUFFIX = ".py"

_LITTER_PARTS = frozenset(
    {"__MACOSX", "__pycache__", ".DS_Store", "Thumbs.db", "desktop.ini", ".ipynb_checkpoints", "node_modules"}
)
_ENVIRONMENT_PARTS = frozenset({"site-packages", "venv"})
_NEVER_RUN = re.compile(r"(conftest|sitecustomize|usercustomize|__main__|setup|test_\w*|\w+_test)\.py")
_DRIVE = re.compile(r"[A-Za-z]:")
_RESERVED_CHARACTERS = re.compile(r'[<>:"|?*]')

_OURS = frozenset({"grader", "rubrics", "workers", "assignments"})

_MAKE_A_PLAIN_ZIP = "Zip the folder with your .py files anew, with the tool of your system."
_RENAME = "Rename it to letters, digits and underscores."


class Kind(Enum):
    """What a file of a larger upload is, by its name alone; content decides for a file sent by itself."""

    PYTHON = auto()
    NOTEBOOK = auto()
    LITTER = auto()
    """Left behind by the operating system or an editor; nobody misses it."""
    OTHER = auto()


def kind_of(name: str) -> Kind:
    """What to do with a file of this relative name."""
    parts = PurePosixPath(name).parts
    if any(part in _LITTER_PARTS or part.startswith("._") for part in parts):
        return Kind.LITTER
    if any(part.startswith(".") for part in parts) or not _ENVIRONMENT_PARTS.isdisjoint(parts[:-1]):
        return Kind.OTHER
    suffix = PurePosixPath(name.lower()).suffix
    return {".py": Kind.PYTHON, ".ipynb": Kind.NOTEBOOK}.get(suffix, Kind.OTHER)


def relative_name(raw: str, *, upload: str) -> str:
    r"""A member's name as a relative POSIX name in Unicode's composed form (NFC).

    Backslashes separate folders, as some Windows tools write them. UploadRefused for a name that would lead
    out of the folder it is unpacked into: absolute, with a drive letter, with ``..``, or with a NUL in it.
    """
    name = unicodedata.normalize("NFC", raw).replace("\\", "/")
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or _DRIVE.match(name) or ".." in parts or "\0" in name:
        problem = f"it holds a file named {_quoted(raw)}, which points outside of its own folder."
        raise refused(Refusal.UNSAFE_PATH, upload, problem, _MAKE_A_PLAIN_ZIP)
    return "/".join(parts)


def require_plain(name: str, *, upload: str, limits: UploadLimits) -> None:
    """Refuse a name that is too long or too deep, or that cannot be shown or stored as it is everywhere."""
    parts = name.split("/")
    if len(parts) > limits.depth:
        problem = f"it holds a file {len(parts)} folders deep; at most {limits.depth} are read."
        raise refused(Refusal.TOO_DEEP, upload, problem, "Put your .py files at the top.")
    if len(name) > limits.name_length:
        problem = f"a file name has {len(name)} characters; at most {limits.name_length} are read."
        raise refused(Refusal.BAD_NAME, upload, problem, _RENAME)
    if has_hidden_characters(name) or "\n" in name or "\t" in name or _RESERVED_CHARACTERS.search(name):
        problem = f"the file name {_quoted(name)} has characters that not every system can store."
        raise refused(Refusal.BAD_NAME, upload, problem, _RENAME)


def base_name(raw: str, *, limits: UploadLimits) -> str:
    """The bare name of a file sent by itself; browsers and tools may send a whole path."""
    name = unicodedata.normalize("NFC", raw).replace("\\", "/").rpartition("/")[2].strip()
    if not name or name in (".", ".."):
        raise refused(Refusal.BAD_NAME, raw, "has no file name.", "Name it submission.py, for example.")
    require_plain(name, upload=name, limits=limits)
    return name


def module_of(name: str) -> str | None:
    """The dotted module a helper file can be imported as; None if its name is no Python name."""
    parts = name.removesuffix(PYTHON_SUFFIX).split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    if not name.endswith(PYTHON_SUFFIX):
        return None
    if all(part.isidentifier() and not keyword.iskeyword(part) for part in parts):
        return ".".join(parts)
    return None


def is_never_run(name: str) -> bool:
    """Whether tools elsewhere run a file of this name by themselves, which the grader does not."""
    return _NEVER_RUN.fullmatch(name.rpartition("/")[2]) is not None


@functools.lru_cache(maxsize=1024)  # bounded: strangers choose the names
def belongs_to_environment(package: str) -> bool:
    """Whether `import package` finds the standard library or an installed package, not a submitted file.

    Only the interpreter's own folders are asked, never the working folder, and nothing is imported.
    """
    if package in sys.stdlib_module_names or package in _OURS:
        return True
    folders = [sysconfig.get_path(key) for key in ("purelib", "platlib")]
    return importlib.machinery.PathFinder.find_spec(package, folders) is not None


def _quoted(name: str) -> str:
    shown = name if len(name) <= 60 else f"{name[:30]}…{name[-29:]}"  # noqa: PLR2004 - about half a line
    return ascii(shown) if has_hidden_characters(shown) else repr(shown)
