from __future__ import annotations

from pathlib import Path

import pytest

from grader.domain.errors import ConfigurationInvalid
from grader.engine.policy import Layer
from grader.services.policy import QueuePolicy
from grader.services.settings import SETTINGS, load_settings


def test_without_any_variable_everything_has_a_default(tmp_path: Path) -> None:
    settings = load_settings({"XDG_DATA_HOME": str(tmp_path)})
    assert settings.home == tmp_path / "grader"
    assert settings.database_url == f"sqlite:///{tmp_path}/grader/grader.db"
    assert settings.broker_url is None
    assert settings.engine == "grader.engine:Engine"
    assert settings.policy == QueuePolicy()


def test_every_setting_is_read() -> None:
    settings = load_settings(
        {
            "GRADER_HOME": "/srv/grader",
            "GRADER_DATABASE_URL": "postgresql://db/grader",
            "GRADER_BROKER_URL": "redis://broker/0",
            "GRADER_SECRET": "s" * 32,
            "GRADER_ENGINE": "a:b",
            "GRADER_LEASE_S": "60",
            "GRADER_MAX_TRIES": "5",
            "GRADER_RETRY_DELAY_S": "1.5",
            "GRADER_RESEND_AFTER_S": "90",
            "GRADER_SWEEP_EVERY_S": "2",
            "GRADER_SEAL_REQUIRED": "Landlock",
            "GRADER_SEAL_GROUPS": "/sys/fs/cgroup/grader",
        }
    )
    assert (settings.home, settings.version_cache) == (Path("/srv/grader"), Path("/srv/grader/versions"))
    assert settings.database_url == "postgresql://db/grader"
    assert settings.require_broker() == "redis://broker/0"
    assert (settings.secret, settings.engine) == ("s" * 32, "a:b")
    assert settings.policy == QueuePolicy(
        lease_s=60, max_tries=5, retry_delay_s=1.5, resend_after_s=90, sweep_every_s=2
    )
    assert Layer.LANDLOCK in settings.seal.required
    assert settings.seal.groups == (Path("/sys/fs/cgroup/grader"),)


def test_a_misspelt_name_is_an_error_that_knows_the_right_one() -> None:
    with pytest.raises(ConfigurationInvalid, match="Did you mean 'GRADER_DATABASE_URL'"):
        load_settings({"GRADER_DATABSE_URL": "sqlite:///x.db"})


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationInvalid, match="GRADER_BROKER_URL, GRADER_DATABASE_URL"):
        load_settings({"GRADER_FLUX_CAPACITOR": "1"})


def test_names_of_the_test_suite_and_of_others_are_left_alone() -> None:
    load_settings({"GRADER_TEST_POSTGRES_URL": "x", "PATH": "/bin"})


@pytest.mark.parametrize(
    "name, value",
    [
        ("GRADER_LEASE_S", "soon"),
        ("GRADER_LEASE_S", "nan"),
        ("GRADER_LEASE_S", "-1"),
        ("GRADER_LEASE_S", "0"),
        ("GRADER_MAX_TRIES", "2.5"),
        ("GRADER_MAX_TRIES", "0"),
        ("GRADER_RESEND_AFTER_S", "0"),
        ("GRADER_SWEEP_EVERY_S", "inf"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(ConfigurationInvalid) as caught:
        load_settings({name: value})
    assert caught.value.setting == name


def test_a_command_that_needs_a_broker_says_how_to_get_one() -> None:
    with pytest.raises(ConfigurationInvalid, match="grader up"):
        load_settings({}).require_broker()


def test_the_secret_is_never_shown() -> None:
    assert "hush" not in repr(load_settings({"GRADER_SECRET": "hush" * 8}))


def test_every_setting_says_what_it_is_for() -> None:
    assert all(setting.about and setting.default for setting in SETTINGS)
    assert len({setting.name for setting in SETTINGS}) == len(SETTINGS)
