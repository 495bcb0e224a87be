"""The files of an upload put together as one submission, and the author told what became of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from grader.content.codes import NoticeCode, Refusal, refused
from grader.content.limits import UploadLimits, size
from grader.content.names import Kind, belongs_to_environment, is_never_run, kind_of, module_of, require_plain
from grader.content.selection import Selection, Wanted, select, without_common_folder
from grader.content.sources import RawFile, RawFiles, read_source
from grader.domain.submission import Notice, SubmittedFiles
from grader.domain.text import listing, one_line

MOST_NOTICES = 30
"""A notebook may hold hundreds of commands; nobody reads hundreds of notices."""


def assemble(raw: RawFiles, *, upload: str, wanted: Wanted, limits: UploadLimits) -> SubmittedFiles:
    """Make one submission of the files of an upload; UploadRefused if that cannot be done.

    Refusals are about `upload`, the name of the whole, or about the one file that is to blame.
    """
    if not raw.files:
        found = f": it holds {listing(raw.left_out)}." if raw.left_out else "."
        raise refused(Refusal.NO_PYTHON, upload, f"holds no Python file{found}", wanted.how_to_name)
    if sum(len(file.data) for file in raw.files if file.kind is Kind.PYTHON) > limits.text_bytes:
        problem = f"holds more than {size(limits.text_bytes)} of Python code."
        raise refused(Refusal.TOO_LARGE, upload, problem, "Move data out of your code.")
    _require_distinct(raw.files, upload)
    files = without_common_folder(raw.files)
    for file in files:
        require_plain(file.name, upload=upload, limits=limits)
    selection = select(files, upload=upload, wanted=wanted, limits=limits)
    selection, renamed = _with_loadable_main(selection, wanted)
    main = read_source(selection.main, limits=limits)
    if not main.source.text.strip():
        raise refused(Refusal.EMPTY, selection.main.name, "is empty.", "Upload the file with your functions.")
    helpers = [file for file in selection.beside if file.kind is Kind.PYTHON]
    read = [read_source(helper, limits=limits) for helper in helpers]
    notices = [
        *renamed,
        *_choice_notices(selection, upload, wanted),
        *main.notices,
        *(notice for helper in read for notice in helper.notices),
        *(notice for helper in helpers for notice in _name_notices(helper.name)),
        *_left_out_notices(selection, raw),
    ]
    return SubmittedFiles(
        entry=selection.main.name,
        files=(main.source, *(helper.source for helper in read)),
        notices=bounded(notices),
    )


def bounded(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Each notice once, the first `MOST_NOTICES` of them, and a last one that counts the rest."""
    distinct = tuple(dict.fromkeys(notices))
    if len(distinct) <= MOST_NOTICES:
        return distinct
    rest = f"… and {len(distinct) - MOST_NOTICES:,} more notices like these."
    return (*distinct[:MOST_NOTICES], Notice(code=NoticeCode.MORE, message=rest))


def _require_distinct(files: Iterable[RawFile], upload: str) -> None:
    """Two files under one name would let people read the one while the other runs."""
    seen: dict[str, str] = {}
    for file in files:
        earlier = seen.get(file.name.casefold())
        if earlier is not None:
            shown = repr(one_line(file.name, 60))
            both = f"{one_line(earlier, 60)!r} and {shown}, which differ in capitals only."
            problem = f"it holds {shown} twice." if earlier == file.name else f"it holds {both}"
            raise refused(Refusal.DUPLICATE, upload, problem, "Keep the one you mean.")
        seen[file.name.casefold()] = file.name


def _with_loadable_main(selection: Selection, wanted: Wanted) -> tuple[Selection, tuple[Notice, ...]]:
    """A main module called `random.py` would stand where others look for the real one: it is renamed."""
    name = selection.main.name
    module = module_of(name)
    if module is None or not belongs_to_environment(module):
        return selection, ()
    message = (
        f"{one_line(name, 120)} has the name of a module that Python has already. "
        f"It is graded under the name {wanted.entry}."
    )
    renamed = replace(selection, main=replace(selection.main, name=wanted.entry))
    return renamed, (Notice(code=NoticeCode.SHADOWS, message=message),)


def _choice_notices(selection: Selection, upload: str, wanted: Wanted) -> Iterator[Notice]:
    name = selection.main.name
    if name != upload and name not in wanted.entry_names:
        message = f"{one_line(name, 120)} is graded as your submission."
        yield Notice(code=NoticeCode.MAIN_CHOSEN, message=message)


def _name_notices(name: str) -> Iterator[Notice]:
    """What a helper's name makes of it. It is kept in any case: staff should see all that was sent."""
    shown = one_line(name, 120)
    module = module_of(name)
    if is_never_run(name):
        message = f"{shown} is kept, but nothing here runs it by itself."
        yield Notice(code=NoticeCode.NEVER_RUN, message=message)
    elif module is None:
        message = (
            f"{shown} cannot be imported: its name is no Python name. Use letters, digits and underscores."
        )
        yield Notice(code=NoticeCode.NOT_IMPORTABLE, message=message)
    elif belongs_to_environment(package := module.partition(".")[0]):
        message = (
            f"{shown} has the name of a module that Python has already: `import {package}` finds that one, "
            "not your file. Rename it if you import it."
        )
        yield Notice(code=NoticeCode.SHADOWS, message=message)


def _left_out_notices(selection: Selection, raw: RawFiles) -> Iterator[Notice]:
    notebooks = [file.name for file in selection.beside if file.kind is Kind.NOTEBOOK]
    names: Sequence[str] = [*notebooks, *selection.outside, *raw.left_out]
    missed = [name for name in names if kind_of(name) is not Kind.LITTER]
    litter = len(names) - len(missed)
    if missed:
        message = f"Left out, as only Python modules beside the main file are read: {listing(missed)}."
        yield Notice(code=NoticeCode.LEFT_OUT, message=message)
    if litter:
        what = "1 file" if litter == 1 else f"{litter:,} files"
        message = f"Left out: {what} of your operating system or editor."
        yield Notice(code=NoticeCode.LEFT_OUT, message=message)
