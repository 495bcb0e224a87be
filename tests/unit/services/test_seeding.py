from __future__ import annotations

import stat
import threading
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from grader.domain.errors import ConfigurationInvalid
from grader.services.seeding import derive_seed, load_secret
from grader.services.settings import Settings

ATTEMPT = UUID("00000000-0000-4000-8000-000000000001")


def settings(home: Path, secret: str | None = None) -> Settings:
    return Settings(home=home, database_url="sqlite:///x.db", secret=secret)


def test_a_seed_can_be_derived_again_and_never_changes_between_releases() -> None:
    assert derive_seed(b"k" * 32, ATTEMPT) == (
        "3f3107dd7fb6270b2b431ac889d643680c0ba66872972a37b1d8b87c542fd999"
    )


def test_attempts_and_servers_have_seeds_of_their_own() -> None:
    seeds = {
        derive_seed(secret, attempt) for secret in (b"a" * 32, b"b" * 32) for attempt in (ATTEMPT, uuid4())
    }
    assert len(seeds) == 4


def test_a_secret_is_made_on_first_use_for_its_owner_only(tmp_path: Path) -> None:
    home = tmp_path / "not there yet"
    secret = load_secret(settings(home))
    assert len(secret) == 64
    assert load_secret(settings(home)) == secret
    assert stat.S_IMODE((home / "secret").stat().st_mode) == 0o600
    assert [path.name for path in home.iterdir()] == ["secret"]


def test_processes_that_start_together_share_one_secret(tmp_path: Path) -> None:
    found: list[bytes] = []
    threads = [
        threading.Thread(target=lambda: found.append(load_secret(settings(tmp_path)))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_secret_may_come_from_the_environment_and_leaves_no_file(tmp_path: Path) -> None:
    assert load_secret(settings(tmp_path, "x" * 32)) == b"x" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_short_secret_is_refused_with_a_way_to_make_a_better_one(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationInvalid, match="token_hex"):
        load_secret(settings(tmp_path, "1234"))
    (tmp_path / "secret").write_text("\n")
    with pytest.raises(ConfigurationInvalid, match="at least 32"):
        load_secret(settings(tmp_path))


def test_a_secret_that_cannot_be_read_is_explained(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    with pytest.raises(ConfigurationInvalid, match="cannot be read"):
        load_secret(settings(tmp_path))
