"""What holds for every test: it stays on this machine, takes no settings from outside, can be repeated."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
from pathlib import Path
from typing import Any

import hypothesis
import pytest

hypothesis.settings.register_profile(
    "default",
    deadline=None,  # a busy machine is not a counterexample
    derandomize=bool(os.environ.get("CI")),
    print_blob=True,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("default")

# A shell that starts the tests in the background has them ignore Ctrl-C, and so would all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def no_settings_from_outside(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """A developer's own GRADER_* variables and home never reach a test; GRADER_TEST_* name servers for it."""
    for name in list(os.environ):
        if name.startswith("GRADER_") and not name.startswith("GRADER_TEST_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GRADER_HOME", str(tmp_path_factory.getbasetemp() / "grader-home"))
    # A developer may be logged in at a real server.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path_factory.getbasetemp() / "grader-config"))


@pytest.fixture(autouse=True)
def no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets reach this machine only, except the servers that GRADER_TEST_* variables name."""
    if any(name.startswith("GRADER_TEST_") for name in os.environ):
        return
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:  # noqa: ANN401 - as the original
        if self.family != socket.AF_UNIX and not is_loopback(address[0]):
            pytest.fail(f"a test tried to reach {address[0]}: tests stay on this machine")
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@pytest.fixture(scope="session")
def project_root() -> Path:
    """The folder that holds pyproject.toml."""
    return Path(__file__).resolve().parent.parent
