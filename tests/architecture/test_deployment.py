"""The container files say what the code can do, and nothing in them is privileged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer
import yaml

from grader.cli.app import app
from grader.services.settings import SETTINGS
from tests.architecture.modules import ROOT

TEXT = (ROOT / "docker-compose.yml").read_text(encoding="utf-8")
COMPOSE = yaml.safe_load(TEXT)
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
OWN = {name: service for name, service in SERVICES.items() if "build" in service}
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def filled(text: str, values: Mapping[str, str]) -> str:
    """A text of the compose file as Compose hands it on; KeyError where a value is missing."""
    return re.sub(r"\$\{(\w+):\?[^}]*\}", lambda match: values[match[1]], text).replace("$$", "$")


def command_words() -> set[str]:
    """Every command of the command line, as ``worker`` or ``db upgrade``."""
    root = typer.main.get_command(app)
    found: set[str] = set()
    for name, command in root.commands.items():  # type: ignore[attr-defined]
        found |= {f"{name} {below}" for below in getattr(command, "commands", ())} or {name}
    return found


@pytest.mark.parametrize("name", OWN)
def test_the_command_line_has_the_command_of(name: str) -> None:
    words = " ".join(word for word in OWN[name]["command"] if word.isalpha())
    assert words == "" or any(words.startswith(command) for command in command_words())


@pytest.mark.parametrize("name", OWN)
def test_the_dockerfile_has_the_stage_of(name: str) -> None:
    assert OWN[name]["build"]["target"] in re.findall(r"^FROM \S+ AS (\S+)$", DOCKERFILE, re.MULTILINE)


@pytest.mark.parametrize("name", OWN)
def test_every_setting_is_one_we_read_in(name: str) -> None:
    ours = {variable for variable in OWN[name]["environment"] if variable.startswith("GRADER_")}
    assert ours <= {setting.name for setting in SETTINGS}


@pytest.mark.parametrize("name", OWN)
def test_the_brokers_password_is_asked_for_and_used_in(name: str) -> None:
    url = urlsplit(
        filled(OWN[name]["environment"]["GRADER_BROKER_URL"], {"GRADER_BROKER_PASSWORD": "s3cret"})
    )
    assert (url.scheme, url.hostname, url.port, url.password) == ("redis", "broker", 6379, "s3cret")


@pytest.mark.parametrize("name", sorted(set(re.findall(r"\$\{(\w+):\?", TEXT))))
def test_no_secret_may_be_left_empty_and_the_set_up_makes(name: str) -> None:
    assert not re.search(rf"\$\{{{name}(?!:\?)", TEXT)
    words = re.search(r"for name in ([A-Z_ ]+);", TEXT)
    assert words is not None
    assert name in {f"GRADER_{word}" for word in words[1].split()}


def test_no_password_is_an_argument_of_a_process() -> None:
    for service in SERVICES.values():
        command = service.get("command", [])
        assert not re.search(r"(?<!\$)\$\{\w*(PASSWORD|SECRET)", str(command))
    script, *arguments = SERVICES["broker"]["command"][2:]
    assert script.splitlines()[1] == "requirepass $$BROKER_PASSWORD"  # a line of standard input
    assert "requirepass" not in " ".join(arguments)


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_is_privileged_or_reachable_from_outside_in(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["read_only"]
    assert COMPOSE["networks"]["inside"]["internal"]
    assert not {"privileged", "pid", "ipc", "network_mode", "devices"} & service.keys()
    assert "docker.sock" not in str(service)
    if name != "web":
        assert service["networks"] == ["inside"]
        assert "ports" not in service


def test_the_web_server_is_reached_from_its_own_host_alone() -> None:
    """A proxy there adds TLS; the address by which the proxy comes in is the one that is believed."""
    web = SERVICES["web"]
    assert [port.rsplit(":", 1)[0] for port in web["ports"]] == ["127.0.0.1:8000"]
    assert set(web["networks"]) == {"inside", "front"}
    (front,) = COMPOSE["networks"]["front"]["ipam"]["config"]
    assert web["environment"]["GRADER_TRUSTED_PROXY"].endswith(f"-{front['gateway']}}}")


def test_downloads_larger_than_memory_are_made_on_a_disk() -> None:
    web = SERVICES["web"]
    on_disk = {volume.split(":")[1]: volume.split(":")[0] for volume in web["volumes"]}
    assert on_disk[web["environment"]["TMPDIR"]] in COMPOSE["volumes"]


@pytest.mark.parametrize("name", SERVICES)
def test_memory_and_processes_are_limited_in(name: str) -> None:
    assert {"mem_limit", "pids_limit"} <= SERVICES[name].keys()


def test_only_workers_may_become_another_user() -> None:
    able = {name for name, service in OWN.items() if "SETUID" in service.get("cap_add", ())}
    assert able == {"worker-cpu", "worker-gpu"}


def test_a_stopping_worker_has_time_for_a_whole_attempt() -> None:
    minutes = re.fullmatch(r"(\d+)m", SERVICES["worker-cpu"]["stop_grace_period"])
    assert minutes is not None
    assert int(minutes[1]) * 60 > 180
