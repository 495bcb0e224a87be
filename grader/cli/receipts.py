"""The work of `grader receipt verify`: a signature and some hashes, all on this machine.

Which key to trust is the user's decision: they give it, name the server whose key is fetched once and
remembered, or have logged in there. Any other server that a receipt names is asked for nothing, since a
forger could name his own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from zoneinfo import ZoneInfo

import httpx

from grader.cli.exits import ExitCode, leave
from grader.cli.output import answers, asides, print_json, write_text
from grader.cli.remote.addresses import on_this_machine, server_address
from grader.cli.remote.logins import read_logins
from grader.cli.remote.screens import zone_of
from grader.content.folders import read_file
from grader.content.uploads import DEFAULT_LIMITS
from grader.domain.errors import ConfigurationInvalid, InvalidInput, ReceiptInvalid
from grader.domain.moments import moment_text
from grader.domain.text import one_line
from grader.services.home import home_folder
from grader.services.receipts.documents import PublicKey, parse, public_key, require_file
from grader.services.receipts.documents import verify as require_signed

KEY_PATH = "/.well-known/grader-receipt-key"
_TIMEOUT_S: Final = 10.0
_REMEMBERED = "receipt-keys.json"


def verify(
    path: Path, *, files: tuple[Path, ...], key: str | None, server: str | None, as_json: bool
) -> None:
    """Check a receipt and print what it proves; ends the command with 1 where it proves nothing."""
    data = read_file(path, limits=DEFAULT_LIMITS)
    contents = {file: read_file(file, limits=DEFAULT_LIMITS) for file in files}
    try:
        document = parse(data)
        trusted = _trusted_key(document, key=key, server=server)
        receipt = require_signed(document, key=trusted.key)
        names = {file.name: require_file(receipt, name=file.name, data=contents[file]) for file in files}
    except ReceiptInvalid as error:
        _tell_no(path, str(error), as_json=as_json)
        return
    _tell_yes(receipt, trusted, names, as_json=as_json)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Trusted:
    """A key, and in words whose it is and why it is trusted."""

    key: PublicKey
    why: str


def _trusted_key(document: Mapping[str, Any], *, key: str | None, server: str | None) -> _Trusted:
    """The key to verify with: given, remembered, or fetched from the server that the user trusts."""
    if key is not None:
        return _Trusted(key=public_key(key), why="the one given with --key")
    remembered = _remembered()
    if server is not None:
        address = server_address(server, option="--server")
        if address in remembered:
            return _from_before(address, remembered)
        return _fetched(address, remembered, why="which you named")
    named = str(document["receipt"].get("server", ""))
    if named in remembered:
        return _from_before(named, remembered)
    if named in read_logins().known:
        return _fetched(named, remembered, why="where you have logged in")
    raise ConfigurationInvalid(
        "--key",
        f"no key is known for the server that this receipt names ({one_line(named, 80) or 'none'}).",
        "Give its key, or --server with its address if you trust it.",
    )


def _from_before(address: str, remembered: Mapping[str, str]) -> _Trusted:
    return _Trusted(
        key=public_key(remembered[address]), why=f"that of {address}, remembered since it was first fetched"
    )


def _fetched(address: str, remembered: Mapping[str, str], *, why: str) -> _Trusted:
    try:
        answer = httpx.get(f"{address}{KEY_PATH}", timeout=_TIMEOUT_S, trust_env=not on_this_machine(address))
        answer.raise_for_status()
        found = public_key(str(answer.json()["key"]))
    except (httpx.HTTPError, InvalidInput, ValueError, KeyError, TypeError) as error:
        raise ConfigurationInvalid(
            "--server",
            f"its key cannot be fetched from {address} ({one_line(str(error), 120)}).",
            "Try again later, or give --key.",
        ) from error
    keys = json.dumps({**remembered, address: found.text}, indent=2)
    write_text(home_folder() / _REMEMBERED, keys, option="GRADER_HOME")
    asides().print(f"The key of {address} was fetched and is remembered: {found.id}", soft_wrap=True)
    return _Trusted(key=found, why=f"that of {address}, {why}")


def _remembered() -> dict[str, str]:
    """Keys by server. A file that cannot be read holds none: it is fetched again."""
    try:
        found = json.loads((home_folder() / _REMEMBERED).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(text) for name, text in found.items()} if isinstance(found, dict) else {}


def _tell_no(path: Path, problem: str, *, as_json: bool) -> None:
    if as_json:
        print_json({"valid": False, "problem": problem, "receipt": None, "files": {}})
    else:
        answers().print(f"Not valid: {path.name}: {problem}", soft_wrap=True, markup=False)
    leave(ExitCode.NO)


def _tell_yes(
    receipt: Mapping[str, Any], trusted: _Trusted, names: Mapping[str, str], *, as_json: bool
) -> None:
    if as_json:
        print_json({"valid": True, "problem": None, "receipt": dict(receipt), "files": dict(names)})
        return
    say = answers()
    for line in _proven(receipt, trusted, names):
        say.print(one_line(line, 400), soft_wrap=True, markup=False)


def _proven(receipt: Mapping[str, Any], trusted: _Trusted, names: Mapping[str, str]) -> Iterator[str]:
    student, deadline, late = receipt["student"], receipt["deadline"], receipt["days_late"]
    zone = zone_of(receipt["timezone"])
    work = f"Submission {receipt['number']} for {receipt['assignment']} ({receipt['course']})"
    extended = " (extended)" if deadline["extended"] else ""
    in_time = f"{late} {'day' if late == 1 else 'days'} late" if late else "in time"
    yield f"Valid, signed with key {trusted.key.id}: {trusted.why}."
    yield f"{work} by {student['name']} ({student['login']})"
    yield f"Received: {_moment(receipt['received_at'], zone)}"
    yield f"Deadline: {_moment(deadline['due_at'], zone)}{extended}, {in_time}"
    for file in receipt["files"]:
        yield f"File: {file['sha256']} {file['name']}"
    for name, stored in names.items():
        yield f"{name} is what was handed in as {stored}."


def _moment(text: str | None, zone: ZoneInfo) -> str:
    """A receipt's time on its course's clock, to the second."""
    return "none" if text is None else moment_text(datetime.fromisoformat(text), zone, seconds=True)
