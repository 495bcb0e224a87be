"""A grader of its own for these tests, started as a person starts one: `grader up`."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.processes import REPOSITORY, wait_for

_READY = re.compile(r"The grader is up: (?P<url>\S+)")
_CODE = re.compile(r"set-up code:\s+(?P<code>\S+)")
_STARTS_WITHIN_S = 180.0
_STOPS_WITHIN_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """A running grader: where it is, the code it printed for its first account, and its folder."""

    url: str
    setup_code: str
    home: Path
    process: subprocess.Popen[bytes]

    def pause_worker(self) -> None:
        """Whoever hands in from now on waits, until the worker goes on; at the end it does by itself."""
        for child in _workers(self.process):
            child.suspend()

    def resume_worker(self) -> None:
        """The worker goes on."""
        for child in _workers(self.process):
            child.resume()

    def command(self, *arguments: str) -> str:
        """What a `grader` command prints in the server's environment."""
        done = subprocess.run(
            [sys.executable, "-m", "grader.cli", *arguments],
            env=_environment(self.home, self.url),
            cwd=REPOSITORY,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout


@contextmanager
def running_server(home: Path) -> Iterator[Server]:
    """A grader that is up until the block ends; nothing of it is left afterwards."""
    home.mkdir(parents=True, exist_ok=True)
    url, said = f"http://127.0.0.1:{_free_port()}", home / "terminal.log"
    with said.open("wb") as terminal:
        process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", "up"],
            env=_environment(home, url),
            cwd=REPOSITORY,
            stdout=terminal,
            stderr=terminal,
            stdin=subprocess.DEVNULL,
        )
    try:
        yield Server(url=url, setup_code=_setup_code(process, said), home=home, process=process)
    finally:
        _stop(process)


def _setup_code(process: subprocess.Popen[bytes], said: Path) -> str:
    def ready() -> bool:
        assert process.poll() is None, f"the server has ended:\n{said.read_text('utf-8')}"
        return _CODE.search(said.read_text("utf-8")) is not None

    wait_for(ready, within_s=_STARTS_WITHIN_S, what="the server")
    text = said.read_text("utf-8")
    assert _READY.search(text), text
    code = _CODE.search(text)
    assert code is not None
    return code["code"]


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End it as Ctrl-C does; kill what does not end by itself."""
    if process.poll() is not None:
        return
    below = psutil.Process(process.pid).children(recursive=True)
    for child in _workers(process):
        child.resume()
    process.send_signal(signal.SIGINT)
    try:
        process.wait(_STOPS_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for child in psutil.wait_procs(below, timeout=5)[1]:
        child.kill()


def _workers(process: subprocess.Popen[bytes]) -> list[psutil.Process]:
    """The worker with everything below it."""
    children = psutil.Process(process.pid).children()
    found = [child for child in children if "worker" in child.cmdline()]
    assert found, "no worker is running"
    return [one for child in found for one in (child, *child.children(recursive=True))]


def _environment(home: Path, url: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GRADER_")}
    return {
        **kept,
        "GRADER_HOME": str(home),
        "GRADER_URL": url,
        "PYTHONUNBUFFERED": "1",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
