"""Jupyter notebooks as one Python text: code cells in document order, commands neutralised, lines traceable.

A notebook is run here the way "restart and run all" runs it. Cells are counted as code cells from 1, Markdown
left aside; a comment stands before each, from which `grader.domain.cells.locate` tells where a line lies.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from grader.content.codes import NoticeCode, Refusal, refused
from grader.content.decoding import decode_source, direction_notices, normalise_newlines
from grader.content.ipython import Command, neutralise_cell
from grader.content.limits import DEFAULT_LIMITS, UploadLimits, size
from grader.domain.cells import CellLine, cell_marker, is_cell_marker, locate
from grader.domain.errors import UploadRefused
from grader.domain.submission import Notice
from grader.domain.text import one_line

_SURROGATE = re.compile("[\ud800-\udfff]")
_SAVE_AGAIN = "Open it in Jupyter, save it, and upload it again."


@dataclass(frozen=True, slots=True, kw_only=True)
class NotebookText:
    """The code of a notebook as one Python text."""

    text: str
    notices: tuple[Notice, ...] = ()

    def locate(self, line: int) -> CellLine | None:
        """The cell and the line in it of a 1-based line of the text."""
        return locate(self.text, line)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cell:
    number: int
    source: str
    run_as: int | None
    """The number in the brackets of ``In [3]``; None if the saved cell was not run."""


def looks_like_notebook(text: str) -> bool:
    """Whether a text is the JSON of a notebook, whatever its file is called."""
    if not text.lstrip().startswith("{"):
        return False
    document = _json(text)
    return isinstance(document, dict) and ("cells" in document or "worksheets" in document)


def is_json(text: str) -> bool:
    """Whether a text is a JSON object, a notebook's or another's."""
    return isinstance(_json(text), dict)


def read_notebook(data: bytes, *, name: str, limits: UploadLimits = DEFAULT_LIMITS) -> NotebookText:
    """Read the bytes of a notebook (format 3 or 4); UploadRefused if it is damaged or holds no Python."""
    document = _json(decode_source(data, name=name).text)
    if not isinstance(document, dict):
        raise _corrupt(name, "is not a notebook: its JSON cannot be read.")
    _require_python(document, name)
    cells = tuple(_code_cells(document, name))
    if not any(cell.source.strip() for cell in cells):
        raise refused(
            Refusal.NO_CODE,
            name,
            "holds no code cell with code in it.",
            "Write your functions in code cells.",
        )
    if sum(len(cell.source) for cell in cells) > limits.file_bytes:
        raise _too_much_code(name, limits)
    parts: list[str] = []
    notices: list[Notice] = []
    line = 1
    for cell in cells:
        neutralised = neutralise_cell(cell.source)
        parts.append(f"{cell_marker(cell.number)}\n{_without_markers(neutralised.text)}\n")
        notices.extend(_command_notice(command, cell.number, line) for command in neutralised.commands)
        line += parts[-1].count("\n")
    text = "".join(parts)
    if len(text.encode("utf-8", "surrogatepass")) > limits.file_bytes:
        raise _too_much_code(name, limits)
    text, replaced = _without_surrogates(text)
    return NotebookText(
        text=text, notices=(*notices, *_order_notices(cells), *replaced, *direction_notices(text, name))
    )


def _json(text: str) -> object:
    """The value of a JSON text; None if it is none, or nested beyond reason."""
    try:
        return cast("object", json.loads(text))
    except (ValueError, RecursionError, MemoryError):
        return None


def _too_much_code(name: str, limits: UploadLimits) -> UploadRefused:
    problem = f"holds more than {size(limits.file_bytes)} of code."
    return refused(Refusal.TOO_LARGE, name, problem, "Move data out of the cells.")


def _corrupt(name: str, problem: str) -> UploadRefused:
    return refused(Refusal.CORRUPT_NOTEBOOK, name, problem, _SAVE_AGAIN)


def _require_python(document: Mapping[str, object], name: str) -> None:
    metadata = document.get("metadata")
    for table, key in (("kernelspec", "language"), ("language_info", "name")):
        part = metadata.get(table) if isinstance(metadata, dict) else None
        language = part.get(key) if isinstance(part, dict) else None
        if isinstance(language, str) and language and "python" not in language.lower():
            problem = f"is a notebook in {one_line(language, 40)}."
            raise refused(Refusal.NOTEBOOK_LANGUAGE, name, problem, "Choose a Python kernel.")


def _code_cells(document: Mapping[str, object], name: str) -> Iterator[_Cell]:
    numbers = itertools.count(1)
    for cell in _all_cells(document, name):
        if cell.get("cell_type") != "code":
            continue
        number = next(numbers)
        source = _source_text(cell.get("source", cell.get("input")))
        if source is None:
            raise _corrupt(name, f"is damaged: code cell {number} has no text.")
        if "\0" in source:
            raise _corrupt(name, f"holds a NUL character in code cell {number}, which Python cannot read.")
        run_as = cell.get("execution_count", cell.get("prompt_number"))
        yield _Cell(number=number, source=source, run_as=run_as if type(run_as) is int else None)


def _all_cells(document: Mapping[str, object], name: str) -> Iterator[Mapping[str, object]]:
    """Cells in document order; format 3 keeps them in worksheets."""
    holders = document.get("worksheets") if "cells" not in document else [document]
    if not isinstance(holders, list):
        raise _corrupt(name, "is not a notebook: it has no cells.")
    for holder in holders:
        cells = holder.get("cells") if isinstance(holder, dict) else None
        if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
            raise _corrupt(name, "is damaged: its cells cannot be read.")
        yield from cells


def _source_text(source: object) -> str | None:
    """A cell's text, which the format allows as one string or as a list of lines."""
    if isinstance(source, list) and all(isinstance(part, str) for part in source):
        source = "".join(source)
    return normalise_newlines(source) if isinstance(source, str) else None


def _without_markers(text: str) -> str:
    """A line that looks like our own marker would move all lines after it to another cell: one more space."""
    if cell_marker(1)[:-1] not in text:
        return text
    return "\n".join(
        line.replace("# ", "#  ", 1) if is_cell_marker(line) else line for line in text.split("\n")
    )


def _command_notice(command: Command, cell: int, marker_line: int) -> Notice:
    message = f"{CellLine(cell, command.line)}: {command.explained}"
    return Notice(code=NoticeCode.MAGIC, message=message, line=marker_line + command.line)


def _order_notices(cells: tuple[_Cell, ...]) -> tuple[Notice, ...]:
    """A notebook whose cells were last run in another order may work for its author only."""
    run = [cell for cell in cells if cell.run_as is not None]
    for earlier, later in itertools.pairwise(run):
        if (later.run_as or 0) < (earlier.run_as or 0):
            message = (
                f"Cell {later.number} was run before cell {earlier.number} "
                f"(In [{later.run_as}] and In [{earlier.run_as}]). Here cells run from top to bottom, once: "
                "use “Restart and run all” to see what the grader sees."
            )
            return (Notice(code=NoticeCode.OUT_OF_ORDER, message=message),)
    return ()


def _without_surrogates(text: str) -> tuple[str, tuple[Notice, ...]]:
    """JSON can spell half a character, which no file can hold."""
    found = _SURROGATE.search(text)
    if found is None:
        return text, ()
    line = text.count("\n", 0, found.start()) + 1
    message = f"{locate(text, line)}: half a character (a lone surrogate) was replaced by U+FFFD."
    return _SURROGATE.sub("\ufffd", text), (
        Notice(code=NoticeCode.REPLACED_CHARACTERS, message=message, line=line),
    )
