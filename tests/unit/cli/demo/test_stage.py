"""The demo's stage never touches a real course."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from grader.cli.demo.stage import demo_home, demo_settings, step


def test_settings_of_a_real_course_are_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_HOME", "/srv/course")
    monkeypatch.setenv("GRADER_DATABASE_URL", "postgresql://db/course")
    monkeypatch.setenv("GRADER_BROKER_URL", "redis://broker/0")
    monkeypatch.setenv("GRADER_SECRET", "s" * 40)
    monkeypatch.setenv("GRADER_LEASE_S", "7")
    settings = demo_settings(tmp_path)
    assert settings.home == tmp_path
    assert settings.database_url == f"sqlite:///{tmp_path / 'grader.db'}"
    assert (settings.broker_url, settings.secret) == (None, None)
    assert settings.policy.lease_s == 7


def test_the_home_is_private_and_goes_unless_it_is_kept() -> None:
    with demo_home(keep=False) as gone:
        assert gone.stat().st_mode & 0o077 == 0
    with demo_home(keep=True) as kept:
        pass
    assert not gone.exists()
    assert kept.exists()
    kept.rmdir()


def test_a_step_is_one_line_with_its_detail_and_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    with step(Console(width=200), "Broker", "a server of our own") as detail:
        detail("version 9")
    assert capsys.readouterr().out == "  Broker       a server of our own; version 9 (0.0 s)\n"
