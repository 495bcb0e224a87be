"""`assignment.toml`, read strictly: every mistake is named with its place and a way to mend it.

Only the text of the manifest is judged here; whether the files it names exist is the folder's business
(`grader.content.assignments`).
"""

from __future__ import annotations

import keyword
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from decimal import Decimal
from fractions import Fraction
from pathlib import Path, PurePosixPath

from grader.content.toml_lines import line_of_key
from grader.domain.errors import AssignmentInvalid
from grader.domain.rubric import FunctionSpec, Limits, Mutant
from grader.domain.text import did_you_mean, has_hidden_characters, listing, one_line
from grader.domain.verdicts import Family

SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_SLUG = 64
LONGEST_TITLE = 200
QUEUES = ("cpu", "gpu")

_NUMBER = re.compile(r"-?[0-9]{1,12}(\.[0-9]{1,12}|/0*[1-9][0-9]{0,11})?")
"""No exponents: `1e999999999` would be a number of a thousand million digits."""
_CHECK_NAME = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an `assignment.toml` says. Paths are relative POSIX names inside the assignment's folder."""

    slug: str
    title: str
    entry: str
    functions: tuple[FunctionSpec, ...]
    lesson: str
    queue: str
    starter_earns: Fraction
    limits: Limits
    mutants: tuple[Mutant, ...]


def parse_manifest(data: bytes, *, path: Path) -> Manifest:
    """Read the bytes of a manifest. AssignmentInvalid, about `path`, names the first thing that is wrong."""
    try:
        # Decimal keeps `earns = 2.5` exact; points are never binary fractions.
        source = _Text(path=path, text=data.decode("utf-8"))
        document = tomllib.loads(source.text, parse_float=Decimal)
    except UnicodeDecodeError as error:
        raise AssignmentInvalid(path, "is not UTF-8 text.", "Save it as UTF-8.") from error
    except (ValueError, RecursionError) as error:  # TOML errors are ValueErrors, so are numbers too long
        raise AssignmentInvalid(path, f"is not valid TOML: {error}.") from error
    top = _Table(document, where="", source=source)
    functions = _functions(top)
    manifest = Manifest(
        slug=_slug(top),
        title=_title(top),
        entry=_entry(top),
        functions=functions,
        lesson=_relative_name(top, "lesson", default="lesson.md"),
        queue=_queue(top),
        starter_earns=_starter_earns(top),
        limits=_limits(top),
        mutants=_mutants(top, functions),
    )
    top.refuse_unknown()
    return manifest


@dataclass(frozen=True, slots=True, kw_only=True)
class _Text:
    """The manifest as it was written, for messages that name a line."""

    path: Path
    text: str


class _Table:
    """One table of the document; it hands out typed values and remembers which keys were asked for."""

    def __init__(self, values: Mapping[str, object], *, where: str, source: _Text) -> None:
        self._values, self._where, self._source = values, where, source
        self._known: list[str] = []

    def place(self, key: str) -> str:
        return f"{self._where}.{key}" if self._where else key

    def wrong(self, key: str, problem: str, remedy: str = "") -> AssignmentInvalid:
        line = line_of_key(self._source.text, table=self._where, key=key)
        at = "" if line is None else f"line {line}: "
        return AssignmentInvalid(self._source.path, f"{at}`{self.place(key)}` {problem}", remedy)

    def take(self, key: str) -> object:
        """The raw value, None where the key is absent (TOML knows no null)."""
        self._known.append(key)
        return self._values.get(key)

    def text(self, key: str, *, default: str | None = None) -> str:
        value = self.take(key)
        if value is None and default is not None:
            return default
        if value is None:
            misspelt = did_you_mean(key, self._values).replace("Did you mean", "Is it written")
            raise self.wrong(key, "is missing.", misspelt or f'Add a line like {key} = "...".')
        if not isinstance(value, str):
            raise self.wrong(key, f"must be a text in quotes, not {_kind(value)}.")
        if not value.strip() or has_hidden_characters(value):
            raise self.wrong(key, "must be a text of visible characters.")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, 'must be a list of texts, such as ["a", "b"].')
        if repeated := _first_repeated(value):
            raise self.wrong(key, f"names {repeated!r} twice.")
        return tuple(value)

    def number(self, key: str) -> Fraction | None:
        """An exact number: an integer, a decimal such as 2.5, or a text such as "5/2"."""
        value = self.take(key)
        if value is None:
            return None
        if (isinstance(value, int | Decimal) and not isinstance(value, bool)) or isinstance(value, str):
            written = str(value)
            if _NUMBER.fullmatch(written):
                return Fraction(written)
            raise self.wrong(
                key, f"is not a plain number: {one_line(written, 40)}.", 'Write 4, 2.5 or "5/2".'
            )
        raise self.wrong(key, f"must be a number, not {_kind(value)}.")

    def table(self, key: str) -> _Table:
        value = self.take(key)
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise self.wrong(
                key, f"must be a table, not {_kind(value)}.", f"Begin it with [{self.place(key)}]."
            )
        return _Table(value, where=self.place(key), source=self._source)

    def tables(self, key: str) -> tuple[_Table, ...]:
        value = self.take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(key, "must be a list of tables.", f"Begin each with [[{self.place(key)}]].")
        return tuple(
            _Table(item, where=f"{self.place(key)}[{number}]", source=self._source)
            for number, item in enumerate(value, start=1)
        )

    def refuse_unknown(self) -> None:
        for key in self._values:
            if key not in self._known:
                remedy = did_you_mean(key, self._known) or f"Known here: {', '.join(self._known)}."
                raise self.wrong(key, "is not a known key.", remedy)


def _slug(top: _Table) -> str:
    slug = top.text("slug")
    if not SLUG.fullmatch(slug) or len(slug) > LONGEST_SLUG:
        example = re.sub(r"[^a-z0-9]+", "-", slug.lower()).strip("-")[:LONGEST_SLUG] or "my-assignment"
        raise top.wrong(
            "slug", f"may hold a-z, 0-9 and single hyphens, at most {LONGEST_SLUG}.", f"Try {example!r}."
        )
    return slug


def _title(top: _Table) -> str:
    title = top.text("title")
    if len(title) > LONGEST_TITLE or "\n" in title:
        raise top.wrong("title", f"must be one line of at most {LONGEST_TITLE} characters.")
    return title


def _entry(top: _Table) -> str:
    entry = top.text("entry", default="submission.py")
    if not (entry.endswith(".py") and entry.removesuffix(".py").isidentifier()):
        raise top.wrong(
            "entry", f"must be the name of a Python module, not {entry!r}.", "Such as submission.py."
        )
    return entry


def _queue(top: _Table) -> str:
    queue = top.text("queue", default="cpu")
    if queue not in QUEUES:
        raise top.wrong("queue", f'must be "cpu" or "gpu", not {queue!r}.', did_you_mean(queue, QUEUES))
    return queue


def _relative_name(table: _Table, key: str, *, default: str | None = None) -> str:
    name = table.text(key, default=default)
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
        raise table.wrong(key, "must be a path inside the assignment's folder, written with forward slashes.")
    return str(path)


def _starter_earns(top: _Table) -> Fraction:
    starter = top.table("starter")
    earns = starter.number("earns") or Fraction(0)
    if earns < 0:
        raise starter.wrong("earns", "must not be negative.")
    starter.refuse_unknown()
    return earns


def _limits(top: _Table) -> Limits:
    table = top.table("limits")
    chosen: dict[str, int | float] = {}
    for field in fields(Limits):
        value = table.number(field.name)
        if value is None:
            continue
        if value <= 0:
            raise table.wrong(field.name, "must be more than zero.")
        whole = isinstance(field.default, int)
        if whole and value.denominator != 1:
            raise table.wrong(field.name, "must be a whole number.")
        chosen[field.name] = int(value) if whole else float(value)
    table.refuse_unknown()
    limits = Limits(**chosen)  # type: ignore[arg-type] # each value has the kind of its field's default
    if limits.attempt_s < max(limits.load_s, limits.check_s):
        raise table.wrong("attempt_s", "must be at least as long as load_s and check_s.")
    return limits


def _functions(top: _Table) -> tuple[FunctionSpec, ...]:
    functions: list[FunctionSpec] = []
    for table in top.tables("functions"):
        function = FunctionSpec(
            name=_identifier(table, table.text("name"), "name"), static=table.texts("static")
        )
        for argument in function.static:
            _identifier(table, argument, "static")
        if any(function.name == other.name for other in functions):
            raise table.wrong("name", f"declares {function.name!r} a second time.")
        table.refuse_unknown()
        functions.append(function)
    if not functions:
        raise top.wrong(
            "functions",
            "is missing: an assignment asks for at least one.",
            'Add [[functions]] with name = "...".',
        )
    return tuple(functions)


def _identifier(table: _Table, name: str, key: str) -> str:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise table.wrong(key, f"holds {name!r}, which is not a Python name.")
    return name


def _mutants(top: _Table, functions: tuple[FunctionSpec, ...]) -> tuple[Mutant, ...]:
    mutants: list[Mutant] = []
    for table in top.tables("mutants"):
        path = _relative_name(table, "file")
        mutant = Mutant(
            name=PurePosixPath(path).stem,
            path=path,
            fails=_check_ids(table, functions),
            about=table.text("about", default=""),
        )
        if any(mutant.name == other.name for other in mutants):
            raise table.wrong("file", f"names the mutant {mutant.name!r} a second time.")
        table.refuse_unknown()
        mutants.append(mutant)
    return tuple(mutants)


def _check_ids(table: _Table, functions: tuple[FunctionSpec, ...]) -> frozenset[str]:
    """The ids of the checks a mutant must fail; each is ``function.family.name``."""
    ids = table.texts("fails")
    if not ids:
        raise table.wrong(
            "fails", "must name at least one check.", "A mutant that fails nothing shows nothing."
        )
    for check_id in ids:
        function, _, rest = check_id.partition(".")
        family, _, name = rest.partition(".")
        if not _CHECK_NAME.fullmatch(name):
            raise table.wrong("fails", f"holds {check_id!r}.", "A check's id is function.family.name.")
        _one_of(table, "function", function, (spec.name for spec in functions))
        _one_of(table, "family", family, Family)
    return frozenset(ids)


def _one_of(table: _Table, what: str, word: str, choices: Iterable[str]) -> None:
    known = [str(choice) for choice in choices]
    if word not in known:
        remedy = did_you_mean(word, known) or f"Known: {listing(known, at_most=10)}."
        raise table.wrong("fails", f"names the {what} {word!r}, which is not declared.", remedy)


def _first_repeated(items: list[str]) -> str | None:
    return next((item for index, item in enumerate(items) if item in items[:index]), None)


def _kind(value: object) -> str:
    names = {
        bool: "true or false",
        int: "a number",
        Decimal: "a number",
        str: "a text",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(value), "a date")
