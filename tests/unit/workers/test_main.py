from __future__ import annotations

from pathlib import Path

import pytest

from grader.domain.attempts import Queue
from grader.domain.errors import ConfigurationInvalid
from grader.services.settings import Settings
from tests.storage import database_url
from workers.main import run_worker


def settings(home: Path, **more: str) -> Settings:
    return Settings(
        **{
            "home": home,
            "database_url": f"sqlite:///{home}/x.db",
            "broker_url": "redis://127.0.0.1:1/0",
            **more,
        }
    )


@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_where_nothing_can_be_sealed_off_there_is_no_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    with pytest.raises(ConfigurationInvalid, match=r"needs Linux.*grader check"):
        run_worker(settings(tmp_path), queue=Queue.CPU)


@pytest.mark.linux
def test_a_worker_without_a_migrated_database_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="grader db upgrade"):
        run_worker(settings(tmp_path), queue=Queue.CPU)


@pytest.mark.linux
def test_an_engine_that_does_not_exist_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="no_such_module"):
        run_worker(settings(tmp_path, engine="no_such_module:Engine"), queue=Queue.CPU)


@pytest.mark.linux
def test_a_worker_without_a_broker_says_how_to_get_one(tmp_path: Path) -> None:
    with database_url("sqlite") as url, pytest.raises(ConfigurationInvalid, match="grader up"):
        run_worker(Settings(home=tmp_path, database_url=url), queue=Queue.CPU)
