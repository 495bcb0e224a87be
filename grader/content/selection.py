"""Which file of an upload is the submission, and how the others are called from where it stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from grader.content.codes import Refusal, refused
from grader.content.limits import UploadLimits
from grader.content.names import PYTHON_SUFFIX, Kind, is_never_run
from grader.content.sources import RawFile, read_source
from grader.content.syntax import defined_names
from grader.domain.cells import NOTEBOOK_SUFFIX
from grader.domain.errors import UploadRefused
from grader.domain.text import listing

MOST_COMPARED = 12
"""Files that are parsed to find the main module among them; reading a notebook can take a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What an upload is expected to hold: the main module's file name, and the functions it should define."""

    entry: str = "submission.py"
    functions: tuple[str, ...] = ()

    @property
    def entry_names(self) -> tuple[str, str]:
        """The names of a main module that needs no explanation: the module, or the notebook of that name."""
        return self.entry, f"{self.entry.removesuffix(PYTHON_SUFFIX)}{NOTEBOOK_SUFFIX}"

    @property
    def how_to_name(self) -> str:
        """The advice for an upload whose main module cannot be told."""
        return f"Name the file with your functions {self.entry} and put it at the top."


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The main module and the files beside it, named from its own folder; `outside` are the other names."""

    main: RawFile
    beside: tuple[RawFile, ...]
    outside: tuple[str, ...] = ()


def without_common_folder(files: tuple[RawFile, ...]) -> tuple[RawFile, ...]:
    """Zipping a folder puts its name before every file; it means nothing, however many folders it is."""
    folders = [file.name.split("/")[:-1] for file in files]
    common = folders[0]
    for folder in folders[1:]:
        while folder[: len(common)] != common:
            common = common[:-1]
    prefix = "".join(f"{part}/" for part in common)
    return tuple(replace(file, name=file.name.removeprefix(prefix)) for file in files)


def select(files: Sequence[RawFile], *, upload: str, wanted: Wanted, limits: UploadLimits) -> Selection:
    """Find the main module; UploadRefused, about `upload`, lists the files where it cannot be told.

    By its name; else the only file there is, at the top or anywhere; else the one that defines the most of
    the wanted functions. Found in a folder, it is read from there, and files outside of it are left out.
    """
    candidates = [file for file in files if not _is_aside(file)] or list(files)
    main = _named_as_entry(files, wanted) or _only_one(candidates, wanted, limits)
    if main is None:
        found = listing((file.name for file in files), at_most=8)
        problem = f"it is not clear which of its files is the submission: {found}."
        raise refused(Refusal.NO_MAIN, upload, problem, wanted.how_to_name)
    folder, slash, bare = main.name.rpartition("/")
    prefix = folder + slash
    others = [file for file in files if file is not main]
    return Selection(
        main=replace(main, name=bare),
        beside=tuple(
            replace(file, name=file.name.removeprefix(prefix))
            for file in others
            if file.name.startswith(prefix)
        ),
        outside=tuple(file.name for file in others if not file.name.startswith(prefix)),
    )


def _is_aside(file: RawFile) -> bool:
    """Files that accompany a program but are never the program."""
    return is_never_run(file.name) or file.name.rpartition("/")[2] == "__init__.py"


def _named_as_entry(files: Iterable[RawFile], wanted: Wanted) -> RawFile | None:
    """The file called as the assignment asks, at the top or, if there is but one, in a folder."""
    for name in wanted.entry_names:
        named = [file for file in files if file.name.rpartition("/")[2].casefold() == name.casefold()]
        at_the_top = [file for file in named if "/" not in file.name]
        if len(chosen := at_the_top or named) == 1:
            return chosen[0]
    return None


def _only_one(files: Sequence[RawFile], wanted: Wanted, limits: UploadLimits) -> RawFile | None:
    """The one file that stands out, None if several do."""
    if len(files) == 1:
        return files[0]
    at_the_top = [file for file in files if "/" not in file.name]
    best = _best_by_functions(files, wanted, limits)
    if len(at_the_top) == 1 and (not best or at_the_top[0] in best):
        return at_the_top[0]
    return best[0] if len(best) == 1 else None


def _best_by_functions(files: Sequence[RawFile], wanted: Wanted, limits: UploadLimits) -> list[RawFile]:
    """The files that define the most of the wanted functions; of a notebook and its export, the export."""
    if not wanted.functions or len(files) > MOST_COMPARED:
        return []
    scores = [_score(file, wanted, limits) for file in files]
    most = max(scores)
    best = [file for file, score in zip(files, scores, strict=True) if most and score == most]
    scripts = [file for file in best if file.kind is Kind.PYTHON]
    return scripts if len(scripts) == 1 else best


def _score(file: RawFile, wanted: Wanted, limits: UploadLimits) -> int:
    try:
        text = read_source(file, limits=limits).source.text
    except UploadRefused:
        return 0  # if it is the one after all, it will be refused by name
    return len(defined_names(text) & set(wanted.functions))
