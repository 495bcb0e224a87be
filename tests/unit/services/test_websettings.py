from __future__ import annotations

from datetime import timedelta

import pytest

from grader.domain.errors import ConfigurationInvalid
from grader.services.settings import load_settings
from grader.services.websettings import WebSettings, load_web_settings


def test_without_settings_the_server_is_this_machines_alone() -> None:
    settings = load_settings({"GRADER_HOME": "/nowhere"}).web
    assert settings == WebSettings()
    assert not settings.secure
    assert settings.hosts == {"127.0.0.1:8000", "localhost:8000", "[::1]:8000"}


def test_a_public_server_has_one_name() -> None:
    settings = load_web_settings({"GRADER_URL": "https://Grader.Example.edu/"})
    assert (settings.url, settings.secure) == ("https://grader.example.edu", True)
    assert settings.hosts == {"grader.example.edu"}


@pytest.mark.parametrize(
    "url, host",
    [
        ("https://grader.example.edu:443", "grader.example.edu"),
        ("http://grader.example.edu:80", "grader.example.edu"),
        ("https://grader.example.edu:80", "grader.example.edu:80"),
        ("https://grader.example.edu:8443", "grader.example.edu:8443"),
        ("http://localhost:80", "127.0.0.1"),
    ],
)
def test_a_server_is_reached_by_what_browsers_make_of_its_address(url: str, host: str) -> None:
    hosts = load_web_settings({"GRADER_URL": url}).hosts
    assert host in hosts
    assert ("grader.example.edu" in hosts) is (host == "grader.example.edu")


def test_everything_can_be_set() -> None:
    settings = load_web_settings(
        {
            "GRADER_TRUSTED_PROXY": "10.0.0.5, 10.1.0.0/16",
            "GRADER_SESSION_IDLE_H": "0.5",
            "GRADER_SESSION_LONGEST_H": "12",
            "GRADER_OIDC_ISSUER": "https://login.example.edu",
            "GRADER_OIDC_CLIENT_ID": "grader",
            "GRADER_OIDC_CLIENT_SECRET": "hush",
            "GRADER_OIDC_DOMAINS": "Example.edu, example.org",
            "GRADER_OIDC_NEW_PEOPLE": "Yes",
            "GRADER_OIDC_NAME": "the university",
        }
    )
    assert settings.trusted_proxies == ("10.0.0.5", "10.1.0.0/16")
    assert (settings.session_idle, settings.session_longest) == (timedelta(minutes=30), timedelta(hours=12))
    assert settings.oidc is not None
    assert settings.oidc.domains == {"example.edu", "example.org"}
    assert settings.oidc.new_people
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    "name, value",
    [
        ("GRADER_URL", "grader.example.edu"),
        ("GRADER_URL", "ftp://grader.example.edu"),
        ("GRADER_URL", "https://grader.example.edu/path"),
        ("GRADER_URL", "https://me:secret@grader.example.edu"),
        ("GRADER_URL", "https://grader.example.edu:x"),
        ("GRADER_TRUSTED_PROXY", "*"),
        ("GRADER_TRUSTED_PROXY", "proxy.example.edu"),
        ("GRADER_SESSION_IDLE_H", "0"),
        ("GRADER_SESSION_LONGEST_H", "nan"),
        ("GRADER_OIDC_ISSUER", "http://login.example.edu"),
        ("GRADER_OIDC_NEW_PEOPLE", "maybe"),
    ],
)
def test_what_cannot_be_used_is_named(name: str, value: str) -> None:
    with_issuer = {
        "GRADER_OIDC_ISSUER": "https://login.example.edu",
        "GRADER_OIDC_CLIENT_ID": "grader",
        "GRADER_OIDC_CLIENT_SECRET": "hush",
    }
    with pytest.raises(ConfigurationInvalid, match=name):
        load_web_settings({**with_issuer, name: value})


def test_half_a_provider_is_none() -> None:
    with pytest.raises(ConfigurationInvalid, match="GRADER_OIDC_CLIENT_ID"):
        load_web_settings({"GRADER_OIDC_ISSUER": "https://login.example.edu"})
