from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.cli.remote.logins import Login, Logins, file_of_logins, read_logins, write_logins
from grader.domain.errors import ConfigurationInvalid

THERE = Login(
    server="https://a.example.edu",
    login="ada",
    token="jgt_a",
    token_id="1",
    expires_at=datetime(2027, 1, 1, tzinfo=UTC),
)
ELSEWHERE = Login(server="https://b.example.edu", login="ada", token="jgt_b")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def test_what_is_written_is_read_again() -> None:
    logins = Logins().plus(THERE).plus(ELSEWHERE)
    write_logins(logins)
    assert read_logins() == logins
    assert read_logins().current == ELSEWHERE.server


def test_nobody_else_can_read_the_file_whatever_the_umask() -> None:
    before = os.umask(0)
    try:
        write_logins(Logins().plus(THERE))
    finally:
        os.umask(before)
    assert stat.S_IMODE(file_of_logins().stat().st_mode) == 0o600
    assert stat.S_IMODE(file_of_logins().parent.stat().st_mode) == 0o700
    assert [path.name for path in file_of_logins().parent.iterdir()] == ["logins.json"]


def test_logging_out_of_the_current_server_chooses_no_other() -> None:
    logins = Logins().plus(ELSEWHERE).plus(THERE).without(THERE.server)
    assert logins.current is None
    assert set(logins.known) == {ELSEWHERE.server}
    assert Logins().plus(THERE).plus(ELSEWHERE).without(THERE.server).current == ELSEWHERE.server


def test_before_the_first_log_in_there_is_none() -> None:
    assert read_logins() == Logins()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"servers": {"a": {}}, "current": null}', '{"current": 1}'])
def test_a_damaged_file_says_where_it_is(text: str) -> None:
    file_of_logins().parent.mkdir(parents=True)
    file_of_logins().write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationInvalid, match=r"logins\.json: it is damaged\. Mend or remove"):
        read_logins()


def test_a_token_never_shows_in_a_representation() -> None:
    assert "jgt_a" not in repr(Logins().plus(THERE))
