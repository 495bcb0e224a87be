from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from grader.cli import receipts
from grader.cli.remote.logins import Login, Logins, write_logins
from grader.services.receipts.documents import sign, signing_key
from tests.courses import SECRET, SOLUTION
from tests.unit.cli.conftest import Cli

KEY = signing_key(SECRET)
SERVER = "https://grader.example.edu"

RECEIPT: dict[str, Any] = {
    "server": SERVER,
    "course": "jax",
    "assignment": "doubling",
    "student": {"login": "ada", "name": "Ada"},
    "number": 3,
    "received_at": "2026-11-30T22:59:00Z",
    "received_local": "2026-11-30T23:59:00+01:00",
    "timezone": "Europe/Zurich",
    "files": [
        {
            "name": "submission.py",
            "size": len(SOLUTION),
            "sha256": hashlib.sha256(SOLUTION).hexdigest(),
        }
    ],
    "deadline": {"due_at": "2026-11-30T23:00:00Z", "closes_at": None, "extended": True},
    "days_late": 0,
}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered from another test."""
    monkeypatch.setenv("GRADER_HOME", str(tmp_path / "home"))


@pytest.fixture
def receipt(tmp_path: Path) -> Path:
    path = tmp_path / "receipt.json"
    path.write_text(json.dumps(sign(RECEIPT, key=KEY), indent=2), encoding="utf-8")
    return path


@pytest.fixture
def work(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_bytes(SOLUTION)
    return path


class Server:
    """Answers with a key, and counts how often it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, body: object) -> None:
        self.asked: list[str] = []

        def get(url: str, **_options: object) -> httpx.Response:
            self.asked.append(url)
            return httpx.Response(200, json=body, request=httpx.Request("GET", url))

        monkeypatch.setattr(receipts.httpx, "get", get)


def test_a_genuine_receipt_is_told_with_all_it_proves(cli: Cli, receipt: Path, work: Path) -> None:
    result = cli("receipt", "verify", receipt, "--file", work, "--key", KEY.public.text)
    assert result.exit_code == 0
    assert f"Valid, signed with key {KEY.public.id}: the one given with --key." in result.stdout
    assert "Submission 3 for doubling (jax) by Ada (ada)" in result.stdout
    assert "Received: Mon 30 Nov 2026, 23:59:00 CET" in result.stdout
    assert "Deadline: Tue 1 Dec 2026, 00:00:00 CET (extended), in time" in result.stdout
    assert "mine.py is what was handed in as submission.py." in result.stdout


@pytest.mark.parametrize("days, words", [(1, "1 day late"), (2, "2 days late")])
def test_late_work_is_told_so(cli: Cli, receipt: Path, days: int, words: str) -> None:
    receipt.write_text(json.dumps(sign({**RECEIPT, "days_late": days}, key=KEY)), encoding="utf-8")
    assert words in cli("receipt", "verify", receipt, "--key", KEY.public.text).stdout


def test_another_file_is_not_what_was_handed_in(cli: Cli, receipt: Path, work: Path) -> None:
    work.write_bytes(SOLUTION + b"# later\n")
    result = cli("receipt", "verify", receipt, "--file", work, "--key", KEY.public.text)
    assert result.exit_code == 1
    assert "mine.py is none of the files of this receipt" in result.stdout


def test_a_changed_receipt_is_not_valid(cli: Cli, receipt: Path) -> None:
    receipt.write_text(receipt.read_text().replace("23:59", "20:00"), encoding="utf-8")
    result = cli("receipt", "verify", receipt, "--key", KEY.public.text, "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["valid"]) == (1, False)
    assert "something in it was changed" in answer["problem"]


def test_without_a_key_nobody_is_asked_and_the_remedy_is_named(
    cli: Cli, receipt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(monkeypatch, {})
    result = cli("receipt", "verify", receipt)
    assert result.exit_code == 2
    assert f"no key is known for the server that this receipt names ({SERVER})" in result.stderr
    assert server.asked == []


def test_a_trusted_servers_key_is_fetched_once_and_remembered(
    cli: Cli, receipt: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(monkeypatch, {"key": KEY.public.text})
    assert cli("receipt", "verify", receipt, "--server", SERVER + "/").exit_code == 0
    assert cli("receipt", "verify", receipt, "--server", SERVER).exit_code == 0
    assert cli("receipt", "verify", receipt).exit_code == 0
    assert server.asked == [f"{SERVER}/.well-known/grader-receipt-key"]
    assert f"that of {SERVER}, remembered" in cli("receipt", "verify", receipt).stdout


def test_a_server_where_somebody_has_logged_in_is_trusted(
    cli: Cli, receipt: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    write_logins(Logins().plus(Login(server=SERVER, login="ada", token="jgt_x")))
    server = Server(monkeypatch, {"key": KEY.public.text})
    assert cli("receipt", "verify", receipt).exit_code == 0
    assert server.asked == [f"{SERVER}/.well-known/grader-receipt-key"]


@pytest.mark.parametrize("body", [{}, [], {"key": "zz"}])
def test_a_server_that_has_no_key_is_told_so(
    cli: Cli, receipt: Path, monkeypatch: pytest.MonkeyPatch, body: object
) -> None:
    Server(monkeypatch, body)
    result = cli("receipt", "verify", receipt, "--server", SERVER)
    assert result.exit_code == 2
    assert "grader:" in result.stderr


@pytest.mark.parametrize("address", ["http://grader.example.edu", "https://[bad", "nowhere"])
def test_a_key_is_fetched_over_nothing_but_tls(cli: Cli, receipt: Path, address: str) -> None:
    result = cli("receipt", "verify", receipt, "--server", address)
    assert (result.exit_code, "https address" in result.stderr) == (2, True)


def test_a_missing_file_is_named(cli: Cli, tmp_path: Path) -> None:
    result = cli("receipt", "verify", tmp_path / "nothing.json", "--key", KEY.public.text)
    assert (result.exit_code, "nothing.json" in result.stderr) == (2, True)
