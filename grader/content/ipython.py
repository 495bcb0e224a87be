"""Notebook commands in Python text: found and made harmless, line for line.

IPython understands lines that are not Python: ``%magic``, ``!shell``, ``help?``. Here they become comments of
the same number of lines, so that line numbers stay true. Lines inside strings and brackets are never touched:
a line is a command only where a statement could begin, and a text that is Python as it stands holds none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from grader.content.syntax import parse, parses
from grader.domain.text import one_line

_COMMAND = re.compile(r"\s*(?:%%?[A-Za-z_]|!{1,2}\s*\S|\?{1,2}\s*[A-Za-z_%])")
_HELP_SUFFIX = re.compile(r"\s*%{0,2}[A-Za-z_][\w.*]*(?:\[[^\]]*\])?\?{1,2}\s*(?:#.*)?")
_ASSIGNED = re.compile(r"(?P<target>\s*[A-Za-z_][\w, .*\[\]'\"]*=)\s*(?P<command>(?:%[A-Za-z_]|!\s*\S).*)")
_CELL_COMMAND = re.compile(r"\s*%%(?P<name>[A-Za-z_]\w*)")
_TIMED_STATEMENT = re.compile(r"(?P<indent>\s*)%time\s+(?P<statement>[^-\s].*)")

_MAY_HOLD_COMMANDS = re.compile(r"^[ \t]*[%!?]|=[ \t]*[%!]|\?[ \t]*(?:#.*)?$|get_ipython", re.MULTILINE)

_RUNS_ITS_BODY = frozenset({"time", "capture", "prun"})
"""Cell commands that run the cell's Python in the notebook, so that what it defines stays."""

_TOKEN = re.compile(
    r"""(?P<triple>\"{3}|'{3})|"(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?|\#.*|(?P<opens>[\[({])|(?P<closes>[\])}])"""
)

_REST_OF_STRING = {quote: re.compile(rf"(?:\\.|[^\\])*?{quote}") for quote in ('"""', "'''")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One notebook command that was made harmless. `line` is 1-based; `kept` is Python that still runs."""

    line: int
    text: str
    kept: bool = False

    @property
    def explained(self) -> str:
        """A sentence for the author, without the place."""
        what = "its Python is run, the command is not" if self.kept else "it is not run here"
        return f"`{one_line(self.text, 60)}` is a notebook command; {what}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Neutralised:
    """A text with as many lines as before, and the commands that were taken out of it."""

    text: str
    commands: tuple[Command, ...] = ()


def neutralise_cell(source: str) -> Neutralised:
    """A notebook cell as Python. What still does not parse afterwards is the author's syntax error."""
    if parses(source):
        return _without_shell_object(source)
    lines = _without_leading_indent(source.split("\n"))
    commands: list[Command] = []
    first = next((index for index, line in enumerate(lines) if line.strip()), 0)
    if match := _CELL_COMMAND.match(lines[first]):
        keeps_body = match["name"] in _RUNS_ITS_BODY
        commands.append(Command(line=first + 1, text=lines[first].strip(), kept=keeps_body))
        end = first + 1 if keeps_body else len(lines)
        lines[first:end] = [f"# {line}" for line in lines[first:end]]
    commands.extend(_neutralise_lines(lines))
    rest = _without_shell_object("\n".join(lines))
    return Neutralised(text=rest.text, commands=(*commands, *rest.commands))


def neutralise_module(source: str) -> Neutralised:
    """A Python file as Python, if taking out notebook commands makes it so; otherwise just as it is.

    Notebooks that were exported as scripts hold ``get_ipython()`` calls, those of some services raw commands.
    """
    if not _MAY_HOLD_COMMANDS.search(source):
        return Neutralised(text=source)
    if parses(source):
        return _without_shell_object(source)
    lines = source.split("\n")
    commands = tuple(_neutralise_lines(lines))
    text = "\n".join(lines)
    if not commands or not parses(text):
        return Neutralised(text=source)
    rest = _without_shell_object(text)
    return Neutralised(text=rest.text, commands=(*commands, *rest.commands))


def _without_leading_indent(lines: list[str]) -> list[str]:
    """A cell that is indented as a whole runs in a notebook: the first line's indent is taken off."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip())]
    return [line.removeprefix(indent) for line in lines] if indent else lines


def _neutralise_lines(lines: list[str]) -> Iterator[Command]:
    """Replace the commands in `lines`, in place, and yield them."""
    open_parts = _OpenParts()
    index = 0
    while index < len(lines):
        line = lines[index]
        if not open_parts.any and (harmless := _harmless(line)):
            end = _end_of_command(lines, index)
            lines[index:end] = [harmless, *(f"# {more}" for more in lines[index + 1 : end])]
            yield Command(line=index + 1, text=line.strip())
            index = end
            continue
        if not open_parts.any and (timed := _TIMED_STATEMENT.fullmatch(line)):
            lines[index] = timed["indent"] + timed["statement"]
            yield Command(line=index + 1, text=line.strip(), kept=True)
        open_parts.read(lines[index])
        index += 1


def _harmless(line: str) -> str | None:
    """What takes the place of a line that is a command; None if it is none, or holds Python to keep."""
    if _TIMED_STATEMENT.fullmatch(line):
        return None
    if assigned := _ASSIGNED.fullmatch(line):
        return f"{assigned['target']} None  # {assigned['command']}"
    if not (_COMMAND.match(line) or _HELP_SUFFIX.fullmatch(line)):
        return None
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    # An indented command may be all there is in a block, which needs a statement.
    return f"{indent}pass  # {body}" if indent else f"# {body}"


def _end_of_command(lines: list[str], start: int) -> int:
    """Commands go on after a backslash at the end of a line."""
    end = start
    while end + 1 < len(lines) and lines[end].endswith("\\"):
        end += 1
    return end + 1


@dataclass(slots=True)
class _OpenParts:
    """What is still open at the end of a line: brackets, a triple-quoted string, a backslash."""

    _depth: int = 0
    _quote: str = field(default="")
    _continues: bool = False

    @property
    def any(self) -> bool:
        return bool(self._depth or self._quote or self._continues)

    def read(self, line: str) -> None:
        at = 0
        while at < len(line):
            if self._quote:
                at = self._leave_string(line, at)
                continue
            match = _TOKEN.search(line, at)
            if match is None:
                break
            at = match.end()
            if match["triple"]:
                self._quote = match["triple"]
            elif match["opens"]:
                self._depth += 1
            elif match["closes"]:
                self._depth = max(self._depth - 1, 0)
        self._continues = not self._quote and line.endswith("\\")

    def _leave_string(self, line: str, at: int) -> int:
        end = _REST_OF_STRING[self._quote].match(line, at)
        if end is None:
            return len(line)
        self._quote = ""
        return end.end()


def _without_shell_object(source: str) -> Neutralised:
    """Statements that call ``get_ipython()`` become ``pass``; the object exists in notebooks only."""
    if "get_ipython" not in source:
        return Neutralised(text=source)
    module = parse(source)
    if not isinstance(module, ast.Module):
        return Neutralised(text=source)
    lines = source.split("\n")
    commands = tuple(_replace_shell_calls(module, lines))
    return Neutralised(text="\n".join(lines), commands=commands)


def _replace_shell_calls(module: ast.Module, lines: list[str]) -> Iterator[Command]:
    for node in ast.walk(module):
        if not (isinstance(node, ast.Expr | ast.Assign) and _is_shell_call(node.value)):
            continue
        start, end = node.lineno - 1, (node.end_lineno or node.lineno)
        text = lines[start].strip()
        before = _column(lines[start], node.col_offset)
        after = lines[end - 1].encode()[node.end_col_offset or 0 :].decode().strip()
        if before.strip() or (after and not after.startswith("#")):
            continue  # it shares its line with other code; loading it will say what is wrong
        value = _column(lines[start], node.value.col_offset) if isinstance(node, ast.Assign) else ""
        kept = f"{value}None" if value.strip() else f"{before}pass"
        lines[start:end] = [f"{kept}  # {text}", *(f"# {more}" for more in lines[start + 1 : end])]
        yield Command(line=node.lineno, text=text)


def _column(line: str, offset: int) -> str:
    """The text before a column of the syntax tree, which counts bytes of UTF-8."""
    return line.encode()[:offset].decode()


def _is_shell_call(value: ast.expr) -> bool:
    """Whether an expression is ``get_ipython()`` or a chain of attributes and calls on it."""
    node: ast.expr = value
    called = False
    while isinstance(node, ast.Attribute | ast.Call):
        called = called or isinstance(node, ast.Call)
        node = node.value if isinstance(node, ast.Attribute) else node.func
    return called and isinstance(node, ast.Name) and node.id == "get_ipython"
