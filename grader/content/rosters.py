"""Rosters: tables of people from a registrar, Canvas, Moodle or somebody's own spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from grader.content.tables import Line, Table, read_table
from grader.domain.errors import InvalidInput
from grader.domain.people import Role
from grader.domain.text import has_hidden_characters, listing, one_line

LONGEST_CELL = 200
MOST_EXTRA_DAYS = 365


class Field(StrEnum):
    """What a column of a roster may hold."""

    LOGIN = "login"
    EMAIL = "email"
    NAME = "name"
    FIRST = "first name"
    LAST = "last name"
    NUMBER = "student number"
    SECTION = "section"
    ROLE = "role"
    EXTRA_DAYS = "extra days"


_SPELLINGS: Mapping[Field, tuple[str, ...]] = {
    Field.LOGIN: (
        "sisloginid", "login", "loginid", "loginname", "username", "user", "userid", "netid", "uniqname",
        "account", "unix", "kerberos", "benutzername", "kennung", "utilisateur", "usuario",
    ),
    Field.EMAIL: ("email", "emailaddress", "mail", "emailadresse", "adressedecourriel", "correo", "sisemail"),
    Field.NAME: ("name", "fullname", "student", "studentname", "displayname", "nom", "nombre"),
    Field.FIRST: ("firstname", "givenname", "first", "forename", "vorname", "prenom"),
    Field.LAST: ("lastname", "surname", "familyname", "last", "nachname", "apellidos"),
    Field.NUMBER: (
        "sisuserid", "studentnumber", "studentid", "studentno", "sisid", "idnumber", "matriculationnumber",
        "matrikelnummer", "matrnr", "matriculation", "registrationnumber", "orgdefinedid", "sid",
    ),
    Field.SECTION: ("section", "sections", "group", "groups", "class", "tutorial", "lab", "gruppe"),
    Field.ROLE: ("role", "roles", "type", "rolle"),
    Field.EXTRA_DAYS: ("extradays", "extratime", "extensiondays", "accommodation", "accommodationdays"),
}  # fmt: skip
"""Header names, without blanks, signs and capitals; where several columns fit, the one named first here."""

_ROLES: Mapping[str, Role] = {
    **dict.fromkeys(("student", "learner", "studentenrollment", "s"), Role.STUDENT),
    **dict.fromkeys(("ta", "taenrollment", "teachingassistant", "tutor", "grader", "assistant"), Role.TA),
    **dict.fromkeys(
        ("instructor", "teacher", "teacherenrollment", "lecturer", "professor", "prof"), Role.INSTRUCTOR
    ),
}
_LOGIN = re.compile(r"[^\s<>\"'`\\/:;,|?*]{1,100}")
_EMAIL = re.compile(r"[^\s@<>\"',;]{1,64}@[^\s@<>\"',;]{1,255}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterLine:
    """One person. None: the file does not say, so nothing changes."""

    line: int
    login: str | None
    email: str | None = None
    name: str | None = None
    number: str | None = None
    section: str | None = None
    role: Role | None = None
    extra_days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RosterProblem:
    """A line that is left out, and why."""

    line: int
    says: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Roster:
    """The people of a file. `used` and `ignored` are its columns."""

    lines: tuple[RosterLine, ...]
    problems: tuple[RosterProblem, ...] = ()
    used: Mapping[Field, str] = field(default_factory=dict)
    ignored: tuple[str, ...] = ()


class _Unusable(Exception):
    """Why a line cannot be used."""


def read_roster(data: bytes) -> Roster:
    """The people in a CSV file; InvalidInput where no column says who they are."""
    table = read_table(data, field="roster")
    columns = _columns(table.header)
    if not columns.keys() & {Field.LOGIN, Field.EMAIL, Field.NUMBER}:
        raise InvalidInput(
            "roster",
            f"no column says who is who. Its first line reads: {listing(table.header, at_most=8)}.",
            "Name one column login, email or student number.",
        )
    lines: list[RosterLine] = []
    problems: list[RosterProblem] = []
    seen: dict[tuple[Field, str], int] = {}
    for row in table.rows:
        if _is_decoration(row):
            continue
        try:
            person = _person(row, columns)
            _require_new(person, seen)
        except _Unusable as error:
            problems.append(RosterProblem(line=row.number, says=str(error)))
        else:
            lines.append(person)
    return Roster(
        lines=tuple(lines),
        problems=tuple(problems),
        used={key: one_line(table.header[at], 60) for key, at in columns.items()},
        ignored=_ignored(table, columns),
    )


def _columns(header: tuple[str, ...]) -> dict[Field, int]:
    plain = [re.sub(r"[^a-z0-9]", "", name.casefold()) for name in header]
    found = {}
    for key, spellings in _SPELLINGS.items():
        at = next((plain.index(spelling) for spelling in spellings if spelling in plain), None)
        if at is not None:
            found[key] = at
    return found


def _ignored(table: Table, columns: Mapping[Field, int]) -> tuple[str, ...]:
    used = set(columns.values())
    return tuple(one_line(name, 60) for at, name in enumerate(table.header) if name and at not in used)


def _is_decoration(row: Line) -> bool:
    """Canvas adds lines that are nobody: the points possible, how grades are posted, a test student."""
    first = row.cells[0].casefold()
    return (
        "points possible" in first
        or first in ("student, test", "test student")
        or (
            not first
            and any(cell.casefold() in ("manual posting", "automatic posting") for cell in row.cells)
        )
    )


def _person(row: Line, columns: Mapping[Field, int]) -> RosterLine:
    cells = {key: _cell(row, at) for key, at in columns.items()}
    email = cells.get(Field.EMAIL)
    if email is not None and not _EMAIL.fullmatch(email):
        raise _Unusable(f"{one_line(email, 80)!r} is no email address.")
    login = cells.get(Field.LOGIN)
    if login is None and Field.LOGIN not in columns:
        login = email
    if login is not None and not _LOGIN.fullmatch(login):
        raise _Unusable(f"{one_line(login, 80)!r} cannot be a login name.")
    number = cells.get(Field.NUMBER)
    if login is None and email is None and number is None:
        raise _Unusable("it does not say who this is: login, email and student number are empty.")
    return RosterLine(
        line=row.number,
        login=None if login is None else login.lower(),
        email=email,
        name=_name(cells),
        number=number,
        section=cells.get(Field.SECTION),
        role=_role(cells.get(Field.ROLE)),
        extra_days=_extra_days(cells.get(Field.EXTRA_DAYS)),
    )


def _cell(row: Line, at: int) -> str | None:
    text = row.cells[at] if at < len(row.cells) else ""
    if not text:
        return None
    if len(text) > LONGEST_CELL:
        raise _Unusable(f"a cell has {len(text):,} characters; at most {LONGEST_CELL} are taken.")
    if has_hidden_characters(text):
        raise _Unusable(f"{one_line(text, 60)!r} holds characters that cannot be seen.")
    return text


def _name(cells: Mapping[Field, str | None]) -> str | None:
    first, last = cells.get(Field.FIRST), cells.get(Field.LAST)
    if first or last:
        return one_line(" ".join(part for part in (first, last) if part), LONGEST_CELL)
    name = cells.get(Field.NAME)
    if name is None:
        return None
    parts = [part.strip() for part in name.split(",")]
    # "Lovelace, Ada", as Canvas and registrars sort people.
    turned = f"{parts[1]} {parts[0]}" if len(parts) == 2 and all(parts) else name  # noqa: PLR2004 - a pair
    return one_line(turned, LONGEST_CELL)


def _role(cell: str | None) -> Role | None:
    if cell is None:
        return None
    role = _ROLES.get(re.sub(r"[^a-z]", "", cell.casefold()))
    if role is None:
        raise _Unusable(f"{one_line(cell, 60)!r} is no role; write student, ta or instructor.")
    return role


def _extra_days(cell: str | None) -> int | None:
    if cell is None:
        return None
    if not cell.isascii() or not cell.isdigit() or int(cell) > MOST_EXTRA_DAYS:
        raise _Unusable(f"{one_line(cell, 60)!r} is no number of days between 0 and {MOST_EXTRA_DAYS}.")
    return int(cell)


def _require_new(person: RosterLine, seen: dict[tuple[Field, str], int]) -> None:
    keys = [
        (key, value.casefold())
        for key, value in ((Field.LOGIN, person.login), (Field.NUMBER, person.number))
        if value is not None
    ]
    for key in keys:
        if key in seen:
            raise _Unusable(
                f"the {key[0].value} {one_line(key[1], 80)!r} stands on line {seen[key]} already."
            )
    seen.update(dict.fromkeys(keys, person.line))
