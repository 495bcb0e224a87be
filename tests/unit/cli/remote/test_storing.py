from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.remote.client import Reply
from grader.cli.remote.storing import store
from grader.domain.errors import ConfigurationInvalid


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reply(name: str) -> Reply:
    return Reply(server="https://a.example.edu", data=b"data", filename=name)


@pytest.mark.parametrize(
    "name, written",
    [
        ("grades.csv", "grades.csv"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\autoexec.bat", "autoexec.bat"),
        (".bashrc", "bashrc"),
        ("..", "download"),
        ("", "download"),
    ],
)
def test_a_server_chooses_a_name_and_no_place(here: Path, name: str, written: str) -> None:
    assert store(reply(name), None) == Path(written)
    assert (here / written).read_bytes() == b"data"


def test_a_name_that_the_server_chose_replaces_no_file(here: Path) -> None:
    (here / "grades.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(ConfigurationInvalid, match="is there already"):
        store(reply("grades.csv"), None)
    assert (here / "grades.csv").read_text("utf-8") == "mine"


def test_a_name_that_the_user_chose_does(here: Path) -> None:
    (here / "grades.csv").write_text("old", encoding="utf-8")
    store(reply("x"), Path("grades.csv"))
    assert (here / "grades.csv").read_bytes() == b"data"


def test_a_folder_takes_the_file_under_the_servers_name(here: Path) -> None:
    (here / "out").mkdir()
    assert store(reply("grades.csv"), Path("out")) == Path("out/grades.csv")


def test_a_place_that_cannot_be_written_is_named(here: Path) -> None:
    (here / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationInvalid, match="-o: cannot write"):
        store(reply("x"), here / "file" / "grades.csv")
