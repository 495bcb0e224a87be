"""One file of an upload, from bytes under a name to plain Python text."""

from __future__ import annotations

from dataclasses import dataclass

from grader.content.codes import NoticeCode, Refusal, refused
from grader.content.decoding import decode_source
from grader.content.ipython import Command, neutralise_module
from grader.content.limits import UploadLimits, size
from grader.content.names import Kind
from grader.content.notebooks import read_notebook
from grader.domain.submission import Notice, SourceFile
from grader.domain.text import one_line


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFile:
    """One file of an upload as bytes. `name` is a relative POSIX name."""

    name: str
    data: bytes
    kind: Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class RawFiles:
    """The Python files and notebooks of an upload, and the names of all that was not opened."""

    files: tuple[RawFile, ...]
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """One file as Python text, with notices about what had to be done for that."""

    source: SourceFile
    notices: tuple[Notice, ...] = ()


def read_source(file: RawFile, *, limits: UploadLimits) -> ReadSource:
    """Decode one file and take out what only a notebook understands; UploadRefused if it is no text."""
    if file.kind is Kind.NOTEBOOK:
        notebook = read_notebook(file.data, name=file.name, limits=limits)
        return ReadSource(source=SourceFile(name=file.name, text=notebook.text), notices=notebook.notices)
    if len(file.data) > limits.file_bytes:
        problem = f"is larger than {size(limits.file_bytes)}."
        raise refused(Refusal.TOO_LARGE, file.name, problem, "Move data out of your code.")
    decoded = decode_source(file.data, name=file.name)
    neutralised = neutralise_module(decoded.text)
    commands = tuple(_command_notice(command, file.name) for command in neutralised.commands)
    return ReadSource(
        source=SourceFile(name=file.name, text=neutralised.text), notices=(*decoded.notices, *commands)
    )


def _command_notice(command: Command, name: str) -> Notice:
    place = f"{one_line(name, 120)}, line {command.line}"
    return Notice(code=NoticeCode.MAGIC, message=f"{place}: {command.explained}", line=command.line)
